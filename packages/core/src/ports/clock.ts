// The port that tells domain time: due times, deadlines and the `at` of events. Leases and time-outs are real time.

export type Clock = {
  /** Epoch milliseconds. */
  readonly now: () => number
}
