// Decodes the answers of providers: docs/providers.md. Unknown members are ignored, so that a
// provider may add some. If a known member is wrong, the whole answer is rejected with a sentence
// that names the member.
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { Agreement } from './credit-product.ts'
import { description, schemaName } from './json-schema.ts'
import {
  absentOr,
  Count,
  type Decode,
  type Decoded,
  decodeWith,
  objectOf,
  oneOf,
  optional,
  orNull,
  refined,
  Text,
  textOf,
  wholeNumber,
} from './scalars.ts'
import { RiskLevel } from './webhook-event.ts'

/** Decodes a body of this form to one of its members. */
export const decodeMember = <A, Name extends keyof A>(
  codec: t.Type<A>,
  name: Name,
): Decode<A[Name]> =>
  flow(
    decodeWith(codec),
    E.map((body) => body[name]),
  )

const DAY_SECONDS = 86_400

/** Whole seconds until the provider asks to be called again; null if it does not say. */
export const decodeRetryIn: Decode<number | null> = flow(
  decodeMember(
    objectOf({ retry_in_seconds: optional(orNull(wholeNumber(1, DAY_SECONDS))) }),
    'retry_in_seconds',
  ),
  E.map((seconds) => seconds ?? null),
)

/**
 * The answer for work without a result, such as an SMS or a refund. A 200 without `"done": true` is
 * not accepted.
 */
export const decodeDone: Decode<null> = flow(
  decodeWith(objectOf({ done: t.literal(true) })),
  E.map(() => null),
)

/** What a screening may answer. */
export const ScreeningAnswer = oneOf(
  'approved',
  'review',
  'alternative',
  'identity',
  'denied',
  'error',
)

// The order offers only agreements that its merchant has and that the amount fits.
const AgreementOnWire = objectOf({ product: Text, instalment_count: Count })
type AgreementOnWire = t.TypeOf<typeof AgreementOnWire>

const Alternative = objectOf({
  agreements: t.readonlyArray(AgreementOnWire),
  forced_index: optional(orNull(wholeNumber(0, 1_000))),
})

const agreementOf = ({
  product,
  instalment_count: instalmentCount,
}: AgreementOnWire): Agreement => ({
  product,
  instalmentCount,
})

/** The agreements to offer, and the index of the only one that is accepted. */
type Offer = { readonly agreements: readonly Agreement[]; readonly forcedIndex: number | null }

const offerOf = ({ agreements, forced_index }: t.TypeOf<typeof Alternative>): Offer => ({
  agreements: agreements.map(agreementOf),
  forcedIndex: forced_index ?? null,
})

export const ScreeningResult = schemaName(
  'ProviderScreening',
  objectOf({
    outcome: ScreeningAnswer,
    alternative: description(
      'With the outcome alternative: the agreements to offer instead.',
      absentOr(Alternative),
    ),
  }),
)

/**
 * Reads a decision about a shopper. The outcome `alternative` needs agreements. Left: a sentence that
 * names the wrong member.
 */
export const decodeScreening = flow(
  decodeWith(ScreeningResult),
  E.filterOrElse(
    ({ outcome, alternative }) => outcome !== 'alternative' || alternative != null,
    (): readonly string[] => ['Invalid data: alternative is missing, and must be an object.'],
  ),
  E.map(({ outcome, alternative }) => ({
    outcome,
    alternative: outcome === 'alternative' && alternative ? offerOf(alternative) : null,
  })),
)

/**
 * The decision about a shopper. `alternative` has the agreements that are offered instead, and is
 * null for every other outcome.
 */
export type Screened = ReturnType<typeof decodeScreening> extends Decoded<infer A> ? A : never

/** The protocols allowed for pages to which the shopper is sent; in production only https. */
export type PageProtocol = 'https' | 'http or https'

/**
 * The provider's page where the shopper pays or shows their documents. Its URL is normalised, so
 * that it fits in a header.
 */
export const decodePage = (protocol: PageProtocol): Decode<{ readonly url: string }> => {
  const form = protocol === 'https' ? /^https:\/\//u : /^https?:\/\//u
  const PageUrl = textOf(
    `an ${protocol} URL`,
    form,
    (value) => form.test(value) && URL.canParse(value),
  )
  return flow(
    decodeMember(objectOf({ url: PageUrl }), 'url'),
    E.map((url) => ({ url: new URL(url).href })),
  )
}

/** The possible results of an ID session. */
export const SessionStatus = oneOf('VERIFIED', 'FAILED', 'ERROR')
export type SessionStatus = t.TypeOf<typeof SessionStatus>

export const SessionResult = schemaName('ProviderSession', objectOf({ status: SessionStatus }))

/** Reads how an ID session ended. Left: a sentence that names the wrong member. */
export const decodeSessionStatus = decodeMember(SessionResult, 'status')

const CardOnWire = objectOf({
  token: textOf('up to 200 letters, digits, - and _', /^[\w-]{1,200}$/u),
  brand: textOf('the name of a brand', /^\S.{0,39}$/u),
  last_four: textOf('four digits', /^\d{4}$/u),
  expiry_month_year: textOf('MM/YY', /^(0[1-9]|1[0-2])\/\d\d$/u),
  masked_pan: textOf('a card number whose middle digits are *', /^\d{0,8}\*{3,}\d{0,4}$/u),
})

const cardOf = (card: t.TypeOf<typeof CardOnWire>) => ({
  token: card.token,
  brand: card.brand,
  lastFour: card.last_four,
  expiry: card.expiry_month_year,
  maskedPan: card.masked_pan,
})

/** A saved card, never with its full number. `token` is the payment provider's. */
export type SavedCard = Readonly<ReturnType<typeof cardOf>>

/** A saved card in the form that providers receive. It has no number. docs/providers.md. */
export const cardOnWire = (card: SavedCard): t.TypeOf<typeof CardOnWire> => ({
  token: card.token,
  brand: card.brand,
  last_four: card.lastFour,
  expiry_month_year: card.expiry,
  masked_pan: card.maskedPan,
})

/** Reads the shopper's saved cards. Left: a sentence that names the wrong member. */
export const decodeCards: Decode<readonly SavedCard[]> = flow(
  decodeMember(objectOf({ cards: t.readonlyArray(CardOnWire) }), 'cards'),
  E.map((cards) => cards.map(cardOf)),
)

/**
 * The result of a payment. The merchant sees `reason`: it is a few words and says nothing about the
 * shopper.
 */
export type PaymentResult =
  | { readonly type: 'payment.succeeded'; readonly card: SavedCard | null; readonly keep: boolean }
  | { readonly type: 'payment.failed'; readonly reason: string }

const Flag = refined('true or false', { type: 'boolean' }, t.boolean.is)
const Reason = textOf('up to 60 letters, digits, blanks, - and _', /^[\w -]{1,60}$/u)

const NO_REASON = 'declined'

/**
 * More than eight digits, however they are grouped: they may be a card or a phone number, and a
 * name may be next to them.
 */
const hasLongNumber = (reason: string): boolean => /\d(?:[ _-]*\d){8}/.test(reason)

export const PaymentOutcome = schemaName(
  'ProviderPayment',
  objectOf({
    status: oneOf('succeeded', 'failed'),
    card: description(
      'The paying card in the form that may be stored, never its number.',
      absentOr(CardOnWire),
    ),
    keep_card: description(
      'Whether the shopper allows it to be saved for later orders.',
      optional(Flag),
    ),
    reason: description(
      'Why the payment failed, for the merchant: nothing about the shopper.',
      optional(Reason),
    ),
  }),
)

export const decodePaymentResult: Decode<PaymentResult> = flow(
  decodeWith(PaymentOutcome),
  E.map(({ status, card, keep_card: keep = false, reason = NO_REASON }) =>
    status === 'succeeded'
      ? { type: 'payment.succeeded', card: card ? cardOf(card) : null, keep }
      : { type: 'payment.failed', reason: hasLongNumber(reason) ? NO_REASON : reason },
  ),
)

export const RiskResult = schemaName('ProviderRisk', objectOf({ level: RiskLevel }))

/** Reads the risk of an order. Left: a sentence that names the wrong member. */
export const decodeRiskLevel = decodeMember(RiskResult, 'level')

export const CancelAdvice = schemaName(
  'ProviderAdvice',
  objectOf({
    cancel_in_seconds: description(
      'When to cancel the order. Never null in a callback.',
      orNull(wholeNumber(0, 365 * DAY_SECONDS)),
    ),
  }),
)

/** Seconds until the order should be cancelled; null if there is no known reason to cancel it. */
export const decodeAdvice = decodeMember(CancelAdvice, 'cancel_in_seconds')

/** The names of the ports in settings and addresses. */
export const PROVIDER_PORTS = ['screening', 'sms', 'identity', 'payment', 'risk'] as const

/** The name of a port, as it appears in settings and addresses of callbacks. */
export type ProviderPort = (typeof PROVIDER_PORTS)[number]

/** What a provider reports, as an event of the order. docs/providers.md. */
export type ProviderUpdate =
  | ({ readonly type: 'screening.resolved' } & Screened)
  | { readonly type: 'session.reported'; readonly status: SessionStatus }
  | PaymentResult
  | { readonly type: 'risk.assessed'; readonly level: RiskLevel }
  /** Milliseconds until the order should be cancelled. */
  | { readonly type: 'cancellation.advised'; readonly delay: number }
