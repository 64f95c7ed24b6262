/**
 * Calls code that is not ours (listeners, progress callbacks) from the middle of our own. What it throws surfaces as
 * an uncaught exception, as it would from any listener, but after we are done: nothing of ours is cut short.
 */
export function callOutside(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
