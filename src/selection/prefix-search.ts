/**
 * Position of the first of `count` ascending prefix sums that is greater than `draw`; -1 when none is. An entry of
 * weight 0 repeats the sum before it and is therefore never the first. Binary search, O(log n).
 */
export function firstAbove(prefixSums: ArrayLike<number>, count: number, draw: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (prefixSums[middle]! > draw) high = middle
    else low = middle + 1
  }
  return low < count ? low : -1
}
