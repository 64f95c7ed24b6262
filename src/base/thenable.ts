/**
 * Whether `await` would wait for the value: an object or function with a `then`. May run a getter, and throw what it
 * throws.
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as PromiseLike<unknown>).then === 'function'
  )
}
