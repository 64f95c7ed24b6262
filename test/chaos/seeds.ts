/** Seeds of the long runs: all of them, or as many as `CHAOS_SEEDS` says where time is short. */
export function seedsUpTo(most: number): number[] {
  const { CHAOS_SEEDS = String(most) } = process.env
  return Array.from({ length: Math.min(most, Number(CHAOS_SEEDS)) }, (_, index) => index + 1)
}
