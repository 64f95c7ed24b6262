/** The value within 0..1; what is no number counts as 0. */
export function clampToUnit(value: number): number {
  if (!(value > 0)) return 0
  return Math.min(value, 1)
}
