/**
 * Holm's step-down correction (1979): p values of one family, in the order given, raised so that the chance of
 * even one false finding stays below the level at which the corrected values are read.
 */
export function holmCorrection(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!)
  const corrected = new Array<number>(pValues.length)
  let floor = 0
  order.forEach((index, rank) => {
    floor = Math.max(floor, Math.min(1, pValues[index]! * (pValues.length - rank)))
    corrected[index] = floor
  })
  return corrected
}
