// The mode decides several things that have nothing to do with each other. The server asks for each of
// them by its name, and never for the mode.

/**
 * `sandbox` simulates the providers that are not given; `production` does not start without a
 * provider for every port. Contract §7.
 */
export type Mode = 'sandbox' | 'production'

/** Who answers a port without a URL, in words for operators. Production has no such port. */
export const ANSWERS_WITHOUT_URL = 'the sandbox'

/** All that the mode decides, except for what only a sandbox has. */
type Policy = {
  /** A code that is accepted instead of the one sent. */
  readonly masterCode: string | null
  /** True: plain http, and this machine's own addresses, may be used too. */
  readonly allowsLocal: boolean
  /** True: a merchant may not use credentials that everybody knows. */
  readonly refusesKnownCredentials: boolean
  /** True: no shopper may be bound before the lender's settings are complete. */
  readonly requiresLender: boolean
  readonly limitsRates: boolean
  /** True: merchants may look at their own orders on the statechart, as operators may at all. */
  readonly showsMachineToMerchants: boolean
  /** True: a record in the database says how far the clock was moved. */
  readonly movesClock: boolean
  /** The largest part of a retry's delay that is added to it, 0 to 1. */
  readonly jitter: number
}

export const POLICIES: { readonly [mode in Mode]: Policy } = {
  sandbox: {
    masterCode: '12345',
    allowsLocal: true,
    refusesKnownCredentials: false,
    requiresLender: false,
    limitsRates: false,
    showsMachineToMerchants: true,
    movesClock: true,
    // Advancing the clock by a retry's delay is enough to reach it.
    jitter: 0,
  },
  production: {
    masterCode: null,
    allowsLocal: false,
    refusesKnownCredentials: true,
    requiresLender: true,
    limitsRates: true,
    showsMachineToMerchants: false,
    movesClock: false,
    jitter: 0.1,
  },
}
