/** Binary bytes in a payload, itself or one level down: what the window must bound. */

/** Elements or properties that are looked at. */
const MAX_LOOKED_AT = 16

function bytesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? value.byteLength : 0
  return value instanceof ArrayBuffer ? value.byteLength : 0
}

/** A few ns for primitives; shared memory counts nothing, for it is not copied. Never throws. */
export function payloadBytes(payload: unknown): number {
  if (typeof payload !== 'object' || payload === null) return 0
  const own = bytesOf(payload)
  if (own > 0 || ArrayBuffer.isView(payload)) return own
  return Array.isArray(payload) ? bytesOfElements(payload) : bytesOfProperties(payload)
}

/** By index: `for in` would list the keys of a whole array first, which costs three times what cloning it costs. */
function bytesOfElements(array: readonly unknown[]): number {
  let sum = 0
  try {
    for (let at = 0; at < array.length && at < MAX_LOOKED_AT; at++) sum += bytesOf(array[at])
  } catch {
    // A getter or a Proxy that throws: the clone will say so.
  }
  return sum
}

/** A dictionary's keys are listed whole, which costs a fifth of its clone; JavaScript has no way to ask for a few. */
function bytesOfProperties(payload: object): number {
  let sum = 0
  let looked = 0
  try {
    for (const name in payload) {
      if (++looked > MAX_LOOKED_AT) break
      sum += bytesOf((payload as Record<string, unknown>)[name])
    }
  } catch {
    // A getter or a Proxy that throws: the clone will say so.
  }
  return sum
}
