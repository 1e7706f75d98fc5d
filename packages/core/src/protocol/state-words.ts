// @plazo/core/internal/state-words: the states of an order by their names on the wire, in words. Browsers
// import it too, so it imports nothing.
//
// ```ts
// import { STATE_WORDS } from '@plazo/core/internal/state-words'
//
// console.log(STATE_WORDS.checkout.paying) // waiting for the card payment
// ```
/** By region. Steps of one state, such as those of an ID check, have captions of their own in their metas. */
export const STATE_WORDS = {
  checkout: {
    identifying: 'waiting for the shopper’s details',
    verifying_phone: 'waiting for the SMS code',
    screening: 'being screened',
    screened: 'screened',
    verifying_identity: 'ID check',
    choosing_alternative: 'another plan is offered',
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
    low_risk: 'low risk',
    high_risk: 'high risk',
    under_evaluation: 'risk under evaluation',
  },
  cancellation: {
    none: 'no cancellation',
    scheduled: 'cancel request scheduled',
    asking: 'asking the shop to cancel',
    waiting: 'asking the shop again later',
    cancelled: 'cancelled',
    too_late: 'too late to cancel',
    unsupported: 'the shop cannot cancel',
    unanswered: 'cancel request not answered',
  },
} as const

type Words = { readonly [region in string]?: { readonly [onWire in string]?: string } }

/** The words for a state by its name on the wire. Undefined: it is a host's own. */
export const wordsOf = (region = '', onWire: string): string | undefined =>
  (STATE_WORDS as Words)[region]?.[onWire]
