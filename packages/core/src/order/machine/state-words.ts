// @plazo/core/internal/state-words: the states of an order in words. Browsers import it too, so it imports only types.
//
// ```ts
// import { STATE_WORDS } from '@plazo/core/internal/state-words'
//
// console.log(STATE_WORDS.checkout.paying) // waiting for the card payment
// ```
import type { BundledState, Region } from '../order.ts'

/** A new state does not compile without words. A host may ask for a state of its own, which has none. */
type States<Name extends string> = { readonly [name in Name]: string } & {
  readonly [other in string]?: string
}

/** `verifyingIdentity`: the states of the ID check by the name on the wire, which they share. */
export const STATE_WORDS: { readonly [region in Region]: States<BundledState[region]> } = {
  checkout: {
    identifying: 'waiting for the shopper’s details',
    verifyingPhone: 'waiting for the SMS code',
    screening: 'being screened',
    screened: 'screened',
    verifyingIdentity: 'ID check',
    started: 'ID check',
    verified: 'ID verified',
    unverified: 'ID not verified',
    errored: 'ID check broken off',
    choosingAlternative: 'another plan is offered',
    paying: 'waiting for the card payment',
    confirming: 'waiting for the shop to confirm',
    holding: 'waiting for the shop to hold the order',
    reviewing: 'on hold',
    confirmed: 'confirmed',
    rejected: 'denied',
    cancelled: 'rejected by the operator',
    conflicted: 'refused by the shop',
    failed: 'failed',
    expired: 'expired',
  },
  risk: {
    unassessed: 'risk not assessed',
    assessing: 'risk being assessed',
    lowRisk: 'low risk',
    highRisk: 'high risk',
    underEvaluation: 'risk under evaluation',
  },
  cancellation: {
    none: 'no cancellation',
    scheduled: 'cancel request scheduled',
    asking: 'asking the shop to cancel',
    waiting: 'asking the shop again later',
    cancelled: 'cancelled',
    tooLate: 'too late to cancel',
    unsupported: 'the shop cannot cancel',
    unanswered: 'cancel request not answered',
  },
}

type Words = { readonly [region in string]?: { readonly [name in string]?: string } }

/** The words for one of our states, by its path in the machine. */
export const wordsOf = ([region = '', ...inside]: readonly string[]): string | undefined =>
  (STATE_WORDS as Words)[region]?.[inside.at(-1) ?? '']
