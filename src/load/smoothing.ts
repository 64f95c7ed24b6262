/** A smoothed value per slot. Equal spacing of the samples is the caller's part. */
export interface Smoothing {
  /** Samples after which an old value has next to no say. */
  readonly span: number
  /** Takes in a sample and returns the smoothed value. The first sample of a slot is taken as if it had always held. */
  add(slot: number, value: number): number
  /** The smoothed value; NaN without a sample. */
  value(slot: number): number
  /** Forgets the slot's samples. */
  reset(slot: number): void
}
