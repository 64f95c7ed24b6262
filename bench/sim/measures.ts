/** Counts of one run beside the response times. */
export class Measures {
  events = 0
  posts = 0
  /** Tasks without an answer when the run was given up; 0 in every orderly run. */
  unsettled = 0
  stalls = 0
  crashes = 0
  /** Moments at which the last live worker died. */
  outages = 0
  failed = 0
  takenBack = 0
  /** Take-backs that found the task claimed. */
  takeBacksTooLate = 0
  sentToStalled = 0
  /** Posts to any worker while one was stalled. */
  sentDuringStalls = 0
  #stalledUntilMs = 0

  countStall(untilMs: number): void {
    this.stalls++
    this.#stalledUntilMs = untilMs
  }

  countPost(nowMs: number, stalled: boolean): void {
    this.posts++
    if (nowMs < this.#stalledUntilMs) this.sentDuringStalls++
    if (stalled) this.sentToStalled++
  }
}
