// Says which addresses the service may call, so that a merchant's URL never leads it into its own network.
// Contract §6, Address guard: judged at intake by `checkUrl`, and at each attempt by `isAllowed`.
export type AddressGuard = {
  /** Why this URL must not be called, as a sentence; null where only its name's addresses remain to be judged. */
  readonly checkUrl: (url: string) => string | null
  /** An IPv4 or IPv6 address as `node:net` writes it; anything else is not allowed. */
  readonly isAllowed: (address: string, port: number) => boolean
}
