// The port for domain time: due times, deadlines and the `at` of events. It is separate from real time, which leases and
// time-outs use, so that the sandbox can move its clock.

export type Clock = {
  /** Epoch milliseconds. */
  readonly now: () => number
}
