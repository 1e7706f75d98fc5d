// The mode decides several things that have nothing to do with each other. The server asks for each of
// them by its name, and never for the mode.

/**
 * `sandbox` simulates the providers that are not given; `production` does not start without a
 * provider for every port. Contract §7.
 */
export type Mode = 'sandbox' | 'production'

/** All that the mode decides, except for what only a sandbox has. */
export const policyOf = (mode: Mode) => {
  const isSandbox = mode === 'sandbox'
  return {
    /** A code that is accepted instead of the one sent. */
    masterCode: isSandbox ? '12345' : null,
    /** True: plain http, and this machine's own addresses, may be used too. */
    allowsLocal: isSandbox,
    /** True: a merchant may not use credentials that everybody knows. */
    refusesKnownCredentials: !isSandbox,
    /** True: no shopper may be bound before the lender's settings are complete. */
    requiresLender: !isSandbox,
    limitsRates: !isSandbox,
    /** True: merchants may look at their own orders on the statechart, as operators may at all. */
    showsMachineToMerchants: isSandbox,
    /** True: a record in the database says how far the clock was moved. */
    movesClock: isSandbox,
    /**
     * The largest part of a retry's delay that is added to it. In a sandbox, advancing the clock by
     * the delay is enough to reach the retry.
     */
    jitter: isSandbox ? 0 : 0.1,
  }
}
