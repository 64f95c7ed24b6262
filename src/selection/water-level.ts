/**
 * The level F at which `arrivals` tasks, poured over queues of the given depths, fill the lowest ones alike:
 * `sum of max(0, F - depth) = arrivals`. Found by leaving out the queues that stand above the level and levelling
 * again, until none does: at most n rounds, two or three in practice; no sorting, nothing allocated. `count` is at
 * least 1.
 */
export function waterLevel(depths: ArrayLike<number>, count: number, arrivals: number): number {
  let level = Number.POSITIVE_INFINITY
  let below = -1
  for (;;) {
    let sum = 0
    let members = 0
    for (let k = 0; k < count; k++) {
      if (depths[k]! <= level) {
        sum += depths[k]!
        members++
      }
    }
    // Rounding can put a lone queue a hair above its own level.
    if (members === below || members === 0) return level
    below = members
    level = (arrivals + sum) / members
  }
}
