// What a step is given besides the order and the event: the settings that are rules, the names on the wire, the
// addresses that are our own, and the moment.
import type { WireNames } from '../protocol/wire-names.ts'

/** Durations in milliseconds. */
export type Rules = {
  readonly screeningWindow: number
  readonly otpLifetime: number
  readonly checkoutLifetime: number
  /** A code that works wherever the code sent would; null outside a sandbox. Contract §8. */
  readonly masterCode: string | null
}

/** The addresses handed out, all under `BASE_URL`. */
export type Links = {
  readonly wait: (orderRef: string) => string
  readonly pay: (orderRef: string, token: string) => string
  readonly payWithCard: (orderRef: string, token: string, card: string) => string
  readonly verify: (orderRef: string, token: string) => string
  readonly cancellationRequest: (orderRef: string) => string
}

export type Terms = { readonly rules: Rules; readonly links: Links; readonly names: WireNames }

/** Drawn beforehand, used or not: a one-time code, and a token for an address of ours. */
export type Fresh = { readonly code: string; readonly token: string }

/** What a step knows of its moment. */
export type Moment = {
  /** Epoch milliseconds; read by the use case. */
  readonly at: number
  readonly fresh: Fresh
  /** Whether `order_ref_1` is held by another order of the merchant: the store found out. Contract §3. */
  readonly referenceIsTaken: boolean
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const DEFAULT_RULES: Rules = {
  screeningWindow: 60 * SECOND,
  otpLifetime: 5 * MINUTE,
  checkoutLifetime: 24 * HOUR,
  masterCode: null,
}

/** Limits that are no settings. Contract §4. */
export const LIMITS = {
  codeIssues: 3,
  codePause: 30 * SECOND,
  wrongCodes: 5,
  screenings: 3,
  sessionErrors: 3,
  payments: 5,
  /** How long a verified or failed ID check shows before the order moves on. */
  idResult: 3 * SECOND,
  /** How long a merchant who takes no IPN has to confirm what was held. */
  confirmation: 7 * 24 * HOUR,
} as const
