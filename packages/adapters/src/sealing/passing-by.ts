// What a server claims whose keys do not open everything, as while SECRET_KEY is changed on one after the other. What it
// cannot open, another may: it is given back, told of in place of the next claim, and passed by for as long as that claim
// would have been held. Claimed again at once, it would be there again at once, and take the places of what can be opened.
import type { ClaimRequest } from '@plazo/core'

type PassingBy = {
  /** The master keys that what is claimed may be sealed under; null: any. */
  readonly keysFor: (request: ClaimRequest) => readonly string[] | null
  /** Something of what was asked for is sealed under another. */
  readonly begin: (request: ClaimRequest, message: string) => void
  /** What is still to be told; null: nothing, any more. */
  readonly takeUntold: () => string | null
}

export const passingBy = (keyIds: readonly string[]): PassingBy => {
  let begunBy: ClaimRequest | null = null
  let untold: string | null = null
  return {
    // A sandbox's clock may be moved either way.
    keysFor: ({ at }) => (begunBy !== null && Math.abs(at - begunBy.at) < begunBy.lease ? keyIds : null),
    begin: (request, message) => {
      begunBy = request
      untold = message
    },
    takeUntold: () => {
      const told = untold
      untold = null
      return told
    },
  }
}
