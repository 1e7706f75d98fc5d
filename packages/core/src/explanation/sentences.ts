// An explanation in words, in each of our languages, for people who know no name of the interface.
// The types make a new state, event, request or party fail to compile until it has words.

import type { Party } from '../order/machine/state-meta.ts'
import { metaOf, ORDER_MODEL, type OrderModel } from '../order/model.ts'
import { type Order, type OrderState, REGIONS, type Region } from '../order/order.ts'
import { factsOf } from '../protocol/country.ts'
import { LANGUAGES, type Language, money } from '../protocol/language.ts'
import type { Explanation } from './explanation.ts'
import { STATE_WORDS, type Words } from './state-words.ts'
import type { Outcome } from './trial.ts'
import type { Awaitable, Awaited, Tries } from './waits.ts'

const PARTIES: { readonly [party in Party]: Words } = {
  shopper: ['The shopper', 'El comprador'],
  merchant: ['The shop', 'La tienda'],
  operator: ['The operator', 'El operador'],
  screening: ['The screening', 'El análisis'],
  sms: ['The SMS service', 'El servicio de SMS'],
  identity: ['The ID service', 'El servicio de identidad'],
  payments: ['The payment service', 'El servicio de pagos'],
  risk: ['The risk service', 'El servicio de riesgo'],
}

/** What happens, after the party that does it, or by itself. */
const EVENTS: { readonly [event in Awaitable]: Words } = {
  'person.submitted': ['sends the form', 'envía el formulario'],
  'person.changed': ['is replaced by another person', 'cambia por otra persona'],
  'code.submitted': ['enters the code', 'introduce el código'],
  'screening.resolved': ['answers', 'responde'],
  'cards.recalled': ['looks up saved cards', 'busca las tarjetas guardadas'],
  'session.opened': ['opens the ID check', 'abre la verificación'],
  'session.reported': ['finishes the ID check', 'termina la verificación'],
  'session.unavailable': ['the ID check cannot be opened', 'no se puede abrir la verificación'],
  'payment.opened': ['opens the card form', 'abre el formulario de pago'],
  'payment.challenged': ['asks for 3-D Secure', 'pide 3-D Secure'],
  'payment.succeeded': ['pays', 'paga'],
  'payment.failed': ['declines the payment', 'rechaza el pago'],
  'payment.unavailable': ['the card form cannot be opened', 'no se puede abrir el pago'],
  'payment.refunded': ['refunds the payment', 'devuelve el pago'],
  'payment.voided': ['voids the payment', 'anula el pago'],
  'card.kept': ['saves the card', 'guarda la tarjeta'],
  'sms.accepted': ['sends the code', 'envía el código'],
  'event.accepted': ['accepts the event', 'acepta el evento'],
  'job.retried': ['retries the stuck job', 'reintenta la tarea atascada'],
  'ipn.accepted': ['accepts the IPN', 'acepta el IPN'],
  'ipn.conflicted': ['refuses the order', 'rechaza el pedido'],
  'ipn.erred': ['the IPN fails', 'falla el IPN'],
  'ipn.exhausted': ['the wait for the shop ends', 'termina la espera a la tienda'],
  'merchant.confirmed': ['confirms by PUT', 'confirma por PUT'],
  'merchant.held': ['holds the order by PUT', 'retiene el pedido por PUT'],
  'references.given': ['gives references', 'da referencias'],
  'order.updated': ['reports a shipment', 'comunica un envío'],
  'order.reduced': ['reduces the order', 'reduce el pedido'],
  'order.cancelled': ['cancels the order', 'cancela el pedido'],
  'review.approved': ['approves the order', 'aprueba el pedido'],
  'review.rejected': ['rejects the order', 'rechaza el pedido'],
  'cancellation.requested': ['asks the shop to cancel', 'pide a la tienda que cancele'],
  'risk.assessed': ['assesses the risk', 'evalúa el riesgo'],
  'cancellation.advised': ['advises to cancel', 'aconseja cancelar'],
  'cancel.agreed': ['agrees to cancel', 'acepta cancelar'],
  'cancel.refused': ['answers that it is too late', 'responde que es tarde'],
  'cancel.deferred': ['wants to be asked later', 'pide más tiempo'],
  'cancel.unsupported': ['does not support cancel', 'no admite cancelaciones'],
  'cancel.exhausted': ['the cancel request is given up', 'se abandona la cancelación'],
  'timer.fired': ['the time is up', 'se acaba el tiempo'],
}

const PHRASES = {
  since: [' since ', ' desde '],
  because: ['because of history lines ', 'por las líneas del historial '],
  awaited: ['Awaited: ', 'Se espera: '],
  until: ['until ', 'hasta '],
  inFlight: ['an attempt is in flight', 'hay un intento en curso'],
  next: ['next attempt on ', 'próximo intento el '],
  failed: ['failed attempts: ', 'intentos fallidos: '],
  left: ['left: ', 'quedan: '],
  silent: ['If everybody stays silent, ', 'Si nadie hace nada, '],
  nothing: ['nothing changes.', 'nada cambia.'],
  atLatest: ['at the latest on ', 'a más tardar el '],
  on: ['on ', 'el '],
  refunded: ['refunded: ', 'devuelto: '],
  charged: ['charged: ', 'cobrado: '],
} as const satisfies { readonly [name: string]: Words }

/** One sentence for each thing that an explanation says. */
type Sentences = {
  readonly where: readonly string[]
  readonly awaits: readonly string[]
  readonly by_itself: string
  readonly may: readonly string[]
}

// Operators read of orders in many countries, so they have one zone, which is named.
const wordsIn = (
  { placed }: Order,
  language: Language,
  model: OrderModel,
  isForMerchant: boolean,
) => {
  const index = LANGUAGES.indexOf(language)
  const say = (words: Words): string => words[index] ?? words[0]
  const timeZone = (isForMerchant && factsOf(placed.merchant.country)?.zone) || 'UTC'
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone,
  })
  const phrase = (name: keyof typeof PHRASES, value: string | number = ''): string =>
    `${say(PHRASES[name])}${value}`
  const stateOf = (region: Region, state: OrderState): string => {
    const words = STATE_WORDS[region][state[region]]
    return words === undefined ? metaOf(region, state, model).caption : capitalize(say(words))
  }
  return {
    say,
    phrase,
    stateOf,
    date: (at: number): string => `${format.format(at)}${isForMerchant ? '' : ' UTC'}`,
    amount: (value: number): string => money(value, placed.currency, language).string,
  }
}

type InWords = ReturnType<typeof wordsIn>

/** The attempts of a delivery: `failed attempts: 3 (503), next attempt on …, left: 21`. */
const triesParts = (
  { phrase, date }: InWords,
  { isInFlight, nextAt, lastAttempt }: Tries,
): readonly string[] => [
  ...(lastAttempt === null
    ? []
    : [phrase('failed', `${lastAttempt.failed} (${lastAttempt.error})`)]),
  ...(isInFlight ? [phrase('inFlight')] : []),
  ...(nextAt === null ? [] : [phrase('next', date(nextAt))]),
  ...(lastAttempt === null ? [] : [phrase('left', lastAttempt.following)]),
]

const outcomeParts = (
  { stateOf, phrase, amount }: InWords,
  before: OrderState,
  { state, refunded, charged }: Outcome,
): readonly string[] => [
  ...REGIONS.filter((region) => state[region] !== before[region]).map((region) =>
    stateOf(region, state),
  ),
  ...(charged === 0 ? [] : [phrase('charged', amount(charged))]),
  ...(refunded === 0 ? [] : [phrase('refunded', amount(refunded))]),
]

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const sentence = (...parts: readonly string[]): string => capitalize(`${parts.join(', ')}.`)

const withOutcome = (what: string, parts: readonly string[]): string =>
  parts.length === 0 ? sentence(what) : sentence(`${what}: ${parts.join(', ')}`)

/** `order`: the one that the explanation is about. */
export const sentencesOf = (
  order: Order,
  { where, awaits, byItself, may }: Explanation,
  language: Language,
  model: OrderModel,
  isForMerchant: boolean,
): Sentences => {
  const inWords = wordsIn(order, language, model, isForMerchant)
  const { say, phrase, stateOf, date } = inWords
  const awaitedSentence = (awaited: Awaited): string =>
    sentence(
      phrase('awaited', `${say(PARTIES[awaited.who])} ${say(EVENTS[awaited.what])}`),
      ...(awaited.until === null ? [] : [phrase('until', date(awaited.until))]),
      ...triesParts(inWords, awaited),
    )
  return {
    where: REGIONS.map((region) => {
      const { since, because } = where[region]
      return sentence(
        `${stateOf(region, order.state)}${since === null ? '' : phrase('since', date(since))}`,
        ...(because.length === 0 ? [] : [phrase('because', because.join(', '))]),
      )
    }),
    awaits: awaits.map(awaitedSentence),
    by_itself:
      byItself === null
        ? phrase('silent', phrase('nothing'))
        : withOutcome(
            `${phrase('silent', say(EVENTS[byItself.event]))} ${phrase(byItself.isLatest ? 'atLatest' : 'on', date(byItself.at))}`,
            outcomeParts(inWords, order.state, byItself),
          ),
    may: may.map(({ who, decision, detail, outcome }) =>
      withOutcome(
        `${say(PARTIES[who])} ${say(EVENTS[decision])}${detail === null ? '' : ` (${detail})`}`,
        outcomeParts(inWords, order.state, outcome),
      ),
    ),
  }
}

/** A delivery's attempts in one sentence. */
export const triesSentence = (order: Order, tries: Tries, language: Language): string =>
  sentence(...triesParts(wordsIn(order, language, ORDER_MODEL, true), tries))
