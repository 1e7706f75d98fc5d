// The inputs of a step besides the order and the event: rules from the settings, names on the wire,
// our own addresses, and the moment. As arguments they keep the step pure.

/** How long the parts of a checkout last. Durations are in milliseconds. Contract §4. */
export type Rules = {
  readonly screeningWindow: number
  readonly otpLifetime: number
  readonly checkoutLifetime: number
  /** A code that is accepted instead of the one sent; null in production. Contract §8. */
  readonly masterCode: string | null
}

/** The addresses that plazo gives to clients, all under `BASE_URL`. */
export type Links = {
  readonly wait: (orderRef: string) => string
  readonly pay: (orderRef: string, token: string) => string
  readonly payWithCard: (orderRef: string, token: string, card: string) => string
  readonly verify: (orderRef: string, token: string) => string
  readonly cancellationRequest: (orderRef: string) => string
}

/** The terms that the effects need. `Terms` (model.ts) has the model, too. */
export type BaseTerms = {
  readonly rules: Rules
  readonly links: Links
  readonly names: WireNames
}

/**
 * Random values drawn before each step, even if it needs none: a one-time code, and a token for one
 * of our addresses.
 */
export type RandomValues = { readonly code: string; readonly token: string }

/** The inputs of a step that differ from one call to the next. */
export type StepInput = {
  /** Epoch milliseconds. The use case reads the clock. */
  readonly at: number
  readonly random: RandomValues
  /**
   * The merchant's day, `YYYY-MM-DD`, by which a submission was judged. Absent in other steps, and
   * before this was stored.
   */
  readonly day?: string
  /**
   * True if another order of the merchant holds `order_ref_1`; the store checks this. Contract §3.
   */
  readonly referenceIsTaken: boolean
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The rules of production, in milliseconds: 60 s to screen, 5 minutes for a code, 24 hours for a
 * checkout, and no master code. Contract §4.
 */
export const DEFAULT_RULES: Rules = {
  screeningWindow: 60 * SECOND,
  otpLifetime: 5 * MINUTE,
  checkoutLifetime: 24 * HOUR,
  masterCode: null,
}

/** Fixed limits; they are not settings. Contract §4. */
export const LIMITS = {
  codeIssues: 3,
  codePause: 30 * SECOND,
  wrongCodes: 5,
  /** How many codes one number gets in production, over all orders. */
  codesInAnHour: 5,
  codesInADay: 10,
  screenings: 3,
  sessionErrors: 3,
  payments: 5,
  /** How long a verified or failed ID check is shown before the order moves on. */
  idResult: 3 * SECOND,
  /** How long a merchant without an IPN URL has to confirm an order that was held. */
  confirmation: 7 * 24 * HOUR,
} as const

/**
 * Some names on the wire contain the service's own name. `service`: a letter, then letters and
 * digits, because it is part of header names. `ipnStateParameter`: for example `sq_state`. Contract
 * §1.
 */
export const wireNames = (service: string, ipnStateParameter: string) => ({
  /** The prefix of the card form's messages, as in `Service.form_loaded`. */
  service,
  /** Hex HMAC-SHA256 of the raw body of every request sent to a merchant. Interface §5. */
  signatureHeader: `X-${service}-Signature`,
  /** The `User-Agent` of requests to merchants. Interface §4.4. */
  userAgent: `${service}-Event/1.0`,
  /** The header that names the merchant if neither path nor body does. Contract §2. */
  merchantHeader: `${service}-Merchant-Id`,
  /** The identification field that must be `true`. Interface §2.1. */
  privacyField: `${service.toLowerCase()}_privacy_policy_accepted`,
  /** The IPN's parameter whose value is `approved` or `needs_review`. Contract §5. */
  ipnStateParameter,
})

/**
 * The names on the wire that contain the service's name, as `wireNames` makes them. Interface §4.4.
 */
export type WireNames = Readonly<ReturnType<typeof wireNames>>
