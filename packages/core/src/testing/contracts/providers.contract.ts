// The contract of all providers, those of the sandbox and remote ones, so that the core can rely on
// either.
import {
  type EffectKind,
  type PayloadOf,
  type ProviderError,
  type ProviderReply,
  type ProviderRequest,
  type Providers,
  type SavedCard,
  ScreeningOutcome,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { SHOPPER } from '../harness/order-fixture.ts'
import { citeSection, type Runner } from './runner.ts'

/** What the tests of providers get for each test. */
export type OpenedProviders = {
  readonly providers: Providers
  /** Lets the time pass that a provider has asked for. */
  readonly advance: (millis: number) => Promise<void>
  /** The texts sent to this number. */
  readonly sentTo: (phone: string) => Promise<readonly string[]>
  /** How much of this payment was refunded, in minor units; null if refunds are not counted. */
  readonly refundsOf: (payment: string) => number | null
  /** Providers that cannot be reached. */
  readonly unreachable: Providers
  /** The questions that are answered without asking anybody, and so cannot fail. */
  readonly alwaysAnswers: readonly (keyof ProviderRequests)[]
  readonly close: () => Promise<void>
}

const FIRST = Date.UTC(2026, 0, 5)

const CARD: SavedCard = {
  token: 'card-1111',
  brand: 'visa',
  lastFour: '1111',
  expiry: '12/40',
  maskedPan: '411111******1111',
}

const owner = (account = 'shop', nin = '12345678Z', phone = '600123456') => ({
  account,
  nin,
  phone,
})

const kindOf = ({ kind }: { readonly kind: string }): string => kind

/**
 * One question of each kind, and how to ask it. `draw` returns a value that no earlier question
 * used.
 */
const providerRequests = (draw: () => string) => {
  const PAYLOADS = {
    screening: {
      kind: 'screening',
      person: SHOPPER,
      agreement: { product: 'i1', instalmentCount: 1 },
      total: 12_100,
      currency: 'EUR',
      merchant: 'shop',
    },
    sms: { kind: 'sms', to: '600123456', text: 'Your code is 24680.', code: '24680' },
    session: { kind: 'session', person: SHOPPER, token: 't' },
    payment: { kind: 'payment', amount: 12_100, currency: 'EUR', token: 't' },
    void: { kind: 'void', payment: `${draw()}:6:payment` },
    refund: { kind: 'refund', payment: `${draw()}:6:payment`, amount: 12_100, currency: 'EUR' },
    cards: { kind: 'cards', owner: owner() },
    card: { kind: 'card', owner: owner(), card: CARD },
    risk: {
      kind: 'risk',
      person: SHOPPER,
      amount: 12_100,
      currency: 'EUR',
      underEvaluation: false,
    },
    watch: { kind: 'watch', person: SHOPPER },
  } as const satisfies { readonly [Kind in EffectKind]?: PayloadOf<Kind> }

  const requestOf = <Kind extends keyof typeof PAYLOADS>(
    payload: PayloadOf<Kind>,
  ): ProviderRequest<Kind> => {
    const orderRef = draw()
    return { key: `${orderRef}:4:${kindOf(payload)}`, orderRef, payload, firstAt: FIRST, at: FIRST }
  }

  const refundRequest = (payment: string, amount: number) =>
    requestOf<'refund'>({ ...PAYLOADS.refund, payment, amount })

  const ALL: {
    readonly [Kind in keyof typeof PAYLOADS]: (
      providers: Providers,
    ) => TaskEither<ProviderError, ProviderReply<unknown>>
  } = {
    screening: ({ screening }) => screening.screen(requestOf(PAYLOADS.screening)),
    sms: ({ sms }) => sms.send(requestOf(PAYLOADS.sms)),
    session: ({ identity }) => identity.open(requestOf(PAYLOADS.session)),
    payment: ({ payments }) => payments.open(requestOf(PAYLOADS.payment)),
    void: ({ payments }) => payments.void(requestOf(PAYLOADS.void)),
    refund: ({ payments }) => payments.refund(requestOf(PAYLOADS.refund)),
    cards: ({ payments }) => payments.recall(requestOf(PAYLOADS.cards)),
    card: ({ payments }) => payments.keep(requestOf(PAYLOADS.card)),
    risk: ({ risk }) => risk.assess(requestOf(PAYLOADS.risk)),
    watch: ({ risk }) => risk.watch(requestOf(PAYLOADS.watch)),
  }

  return { PAYLOADS, requestOf, refundRequest, ALL }
}

type ProviderRequests = ReturnType<typeof providerRequests>['PAYLOADS']

/**
 * The outcomes that a provider may give. `expired` is not one of them: the order itself detects it.
 */
const OUTCOMES = Object.keys(ScreeningOutcome.keys).filter((outcome) => outcome !== 'expired')

const ATTEMPTS_MAX = 50

/**
 * Defines the tests of all five ports. `open` is called before each test. `draw`: returns a value
 * that was never returned before, not even in an earlier run, such as a UUID.
 */
export const providersContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedProviders>,
  draw: () => string,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(runner, 'docs/providers.md')
  describe(`${name} keep the contract of providers`, () => {
    const { PAYLOADS, requestOf: requestFor, refundRequest, ALL } = providerRequests(draw)
    let opened: OpenedProviders
    let providers: Providers
    beforeEach(async () => {
      opened = await open()
      providers = opened.providers
    })
    afterEach(() => opened.close())

    /** Asks until there is an answer, at most `ATTEMPTS_MAX` times. */
    const awaitReply = async <Kind extends EffectKind, A>(
      ask: (request: ProviderRequest<Kind>) => TaskEither<ProviderError, ProviderReply<A>>,
      question: ProviderRequest<Kind>,
    ): Promise<A> => {
      for (let [times, at] = [0, question.at]; times < ATTEMPTS_MAX; times++) {
        const reply = await ask({ ...question, at })()
        if (E.isLeft(reply)) throw new Error(reply.left.message)
        if (reply.right.type === 'answer') return reply.right.value
        expect(reply.right.inMillis).toBeGreaterThan(0)
        await opened.advance(reply.right.inMillis)
        at += reply.right.inMillis
      }
      throw new Error(`There was no answer in ${ATTEMPTS_MAX} times.`)
    }

    it('screening has an outcome, and the same one when it is requested again', async () => {
      const question = requestFor(PAYLOADS.screening)
      const screened = await awaitReply(providers.screening.screen, question)
      expect(OUTCOMES).toContain(screened.outcome)
      expect(await awaitReply(providers.screening.screen, question)).toEqual(screened)
    })

    it('an SMS is sent once, no matter how often it is requested', async () => {
      const to = `6${draw().replace(/\D/g, '').padEnd(8, '0').slice(0, 8)}`
      const question = requestFor<'sms'>({ ...PAYLOADS.sms, to })
      for (let times = 0; times < 3; times++)
        expect(await awaitReply(providers.sms.send, question)).toBe(null)
      expect(await opened.sentTo(to)).toEqual([PAYLOADS.sms.text])
      await awaitReply(
        providers.sms.send,
        requestFor<'sms'>({ ...PAYLOADS.sms, to, text: 'Your code is 13579.' }),
      )
      expect(await opened.sentTo(to)).toEqual([PAYLOADS.sms.text, 'Your code is 13579.'])
    })

    it('an ID session is opened, on our page or another, and is the same when it is requested again', async () => {
      const question = requestFor(PAYLOADS.session)
      const update = await awaitReply(providers.identity.open, question)
      expect([null, 'opened']).toContain(update?.type ?? null)
      expect(await awaitReply(providers.identity.open, question)).toEqual(update)
    })

    it('a payment is opened, on our page or another, and is the same when it is requested again', async () => {
      const question = requestFor(PAYLOADS.payment)
      const page = await awaitReply(providers.payments.open, question)
      expect(page === null || URL.canParse(page.url)).toBe(true)
      expect(await awaitReply(providers.payments.open, question)).toEqual(page)
    })

    it('a payment is voided', async () => {
      const payment = requestFor(PAYLOADS.payment)
      await awaitReply(providers.payments.open, payment)
      expect(
        await awaitReply(
          providers.payments.void,
          requestFor<'void'>({ kind: 'void', payment: payment.key }),
        ),
      ).toBe(null)
    })

    it('a payment is refunded in parts, each once, no matter how often it is requested', async () => {
      const payment = requestFor(PAYLOADS.payment)
      await awaitReply(providers.payments.open, payment)
      const parts = [6_050, 50, 6_000].map((amount) => refundRequest(payment.key, amount))
      for (const part of [...parts, ...parts])
        expect(await awaitReply(providers.payments.refund, part)).toBe(null)
      expect([null, 12_100]).toContain(opened.refundsOf(payment.key))
    })

    it('a card is found once for the owner it was saved for, and for nobody else', async () => {
      const cardOwner = owner(`account ${draw()}`)
      const recallCards = (of: typeof cardOwner) =>
        awaitReply(providers.payments.recall, requestFor<'cards'>({ kind: 'cards', owner: of }))
      expect(await recallCards(cardOwner)).toEqual([])
      for (const token of ['one', 'two', 'one'])
        await awaitReply(
          providers.payments.keep,
          requestFor<'card'>({ kind: 'card', owner: cardOwner, card: { ...CARD, token } }),
        )
      expect(
        (await recallCards(cardOwner)).toSorted((a, b) => a.token.localeCompare(b.token)),
      ).toEqual([
        { ...CARD, token: 'one' },
        { ...CARD, token: 'two' },
      ])
      for (const other of [{ nin: '00000000T' }, { phone: '600000000' }, { account: 'other' }])
        expect(await recallCards({ ...cardOwner, ...other })).toEqual([])
    })

    it('a risk has a level, and an evaluation ends', async () => {
      expect(['low_risk', 'high_risk', 'under_evaluation']).toContain(
        await awaitReply(providers.risk.assess, requestFor(PAYLOADS.risk)),
      )
      const evaluation = requestFor<'risk'>({
        ...PAYLOADS.risk,
        amount: 250_000,
        underEvaluation: true,
      })
      expect(['low_risk', 'high_risk']).toContain(
        await awaitReply(providers.risk.assess, evaluation),
      )
    })

    it('a watch advises to cancel after a time, or advises nothing', async () => {
      const advice = await awaitReply(providers.risk.watch, requestFor(PAYLOADS.watch))
      expect(advice === null || advice.cancelIn >= 0).toBe(true)
    })

    it('an unreachable service is a failure with a reason, and never throws', async () => {
      for (const [kind, ask] of Object.entries(ALL)) {
        const reply = await ask(opened.unreachable)()
        const isFailure =
          E.isLeft(reply) && reply.left._tag === 'ProviderError' && reply.left.message !== ''
        const fails = !opened.alwaysAnswers.includes(kind as keyof typeof PAYLOADS)
        expect({ kind, fails: isFailure }).toEqual({ kind, fails })
      }
    })
  })
}
