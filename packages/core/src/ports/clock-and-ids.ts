// The ports for domain time, and for values that nobody may guess. They are ports so that tests can
// use known values.
import type { RandomValues } from '../order/terms.ts'

/** Values that nobody may guess. Use a cryptographic source. */
export type Ids = {
  /** A version 4 UUID: 122 random bits, the capability of a checkout. Contract §2. */
  readonly orderRef: () => string
  /** A five-digit code and a URL-safe token. A step may leave them unused. */
  readonly random: () => RandomValues
}

/**
 * The port for domain time: due times, deadlines and the `at` of events. It is separate from real
 * time, which the lease and time-outs use, so that a host can move its clock.
 */
export type Clock = {
  /** Epoch milliseconds. */
  readonly now: () => number
}
