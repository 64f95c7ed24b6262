// Tasks that take their time while the process runs: what it stands still in between does not bring them on.

export const kinds = { ioSteps: 'io' }

const STEP_MS = 10

/** Computes without a pause. */
export function spin(ms) {
  let ranMs = 0
  for (let lastMs = performance.now(); ranMs < ms; ) {
    const nowMs = performance.now()
    ranMs += Math.min(nowMs - lastMs, STEP_MS)
    lastMs = nowMs
  }
}

/** Waits in short steps. */
export async function steps(ms) {
  for (let ranMs = 0; ranMs < ms; ranMs += STEP_MS) await new Promise((resolve) => setTimeout(resolve, STEP_MS))
}

export const ioSteps = steps
