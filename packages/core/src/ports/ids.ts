// The port that draws what must not be guessed.
import type { Fresh } from '../order/terms.ts'

export type Ids = {
  /** A version 4 UUID: 122 random bits, the capability of a checkout. Contract §2. */
  readonly orderRef: () => string
  /** A five-digit code and a URL-safe token, used or not. */
  readonly fresh: () => Fresh
}
