import type {
  EffectKind,
  PayloadOf,
  ProviderError,
  ProviderReply,
  ProviderRequest,
} from '@plazo/core/internal'
import { SHOPPER } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { memoryRecords } from '../memory/records.ts'
import { sandboxProviders } from './providers.ts'
import { TRIGGERS } from './triggers.ts'

const FIRST = Date.UTC(2026, 0, 5)
const AMOUNT = { amount: 12100, currency: 'EUR' } as const

const { screening, identity, payments, risk } = sandboxProviders(memoryRecords())

const requestFor = <Kind extends EffectKind>(
  payload: PayloadOf<Kind>,
  after = 0,
): ProviderRequest<Kind> => ({
  key: 'order:2:lane',
  orderRef: 'order',
  payload,
  firstAt: FIRST,
  at: FIRST + after,
})

/** Resolves to the value of an answer, or to the milliseconds until the provider is to be asked again. */
const ask = async <A>(
  call: TE.TaskEither<ProviderError, ProviderReply<A>>,
): Promise<A | { readonly inMillis: number }> => {
  const answered = await call()
  if (E.isLeft(answered)) throw new Error(answered.left.message)
  const { right } = answered
  return right.type === 'answer' ? right.value : { inMillis: right.inMillis }
}

const screen = (surnames: string, after = 1000) =>
  ask(
    screening.screen(
      requestFor(
        {
          kind: 'screening',
          person: { ...SHOPPER, surnames },
          agreement: { product: 'i1', instalmentCount: 1 },
          total: 12100,
          currency: 'EUR',
          merchant: 'demo',
        },
        after,
      ),
    ),
  )

const openSession = (surnames: string, after: number) =>
  ask(
    identity.open(
      requestFor({ kind: 'session', person: { ...SHOPPER, surnames }, token: 't' }, after),
    ),
  )

const assess = (surnames: string, after = 0, underEvaluation = false) =>
  ask(
    risk.assess(
      requestFor(
        { kind: 'risk', person: { ...SHOPPER, surnames }, ...AMOUNT, underEvaluation },
        after,
      ),
    ),
  )

describe('the sandbox', () => {
  it('screens for a second from the first question on', async () => {
    expect(await screen('Prueba Ensayo', 0)).toEqual({ inMillis: 1000 })
    expect(await screen('Prueba Ensayo', 999)).toEqual({ inMillis: 1 })
    expect(await screen('Prueba Ensayo', 1000)).toMatchObject({ outcome: 'approved' })
  })

  it('never ends the screening of expiry event', async () => {
    for (const after of [59_999, 99 * 3_600_000])
      expect(await screen('expiry event', after)).toEqual({ inMillis: expect.any(Number) })
  })

  it('reads surnames in any case, with any blanks', async () => {
    expect(await screen('  DENIAL\t Event ')).toMatchObject({ outcome: 'denied' })
    expect(await screen('denial event 2')).toMatchObject({ outcome: 'approved' })
  })

  it('has triggers that the identification form accepts: two words', () => {
    for (const { surnames } of TRIGGERS) expect(surnames).toMatch(/^\S+ \S+$/)
  })

  it('is asked for an SMS again if its store is unreachable', async () => {
    const gone = { _tag: 'Unavailable', code: 'unknown', message: 'gone' } as const
    const { sms } = sandboxProviders({ ...memoryRecords(), add: () => TE.left(gone) })
    const request = requestFor({ kind: 'sms', to: '600123456', text: '', code: '24680' })
    expect(await sms.send(request)()).toEqual(
      E.left({ _tag: 'ProviderError', reason: 'other', message: 'gone' }),
    )
  })

  it.each([
    ['verification event', 'VERIFIED'],
    ['unverified event', 'FAILED'],
  ])('reports the session of %s after 2 s: %s', async (surnames, status) => {
    expect(await openSession(surnames, 1_999)).toEqual({ inMillis: 1 })
    expect(await openSession(surnames, 2_000)).toEqual({ type: 'reported', status })
  })

  it('waits for the shopper’s choice for identity event', async () => {
    expect(await openSession('identity event', 0)).toBeNull()
  })

  it('finds a card until the end of its month, like the form accepts it', async () => {
    const owner = { account: 'demo', nin: '12345678Z', phone: '600123456' }
    const card = {
      token: 'c1',
      brand: 'visa',
      lastFour: '1111',
      expiry: '07/26',
      maskedPan: '411111******1111',
    }
    await ask(payments.keep(requestFor({ kind: 'card', owner, card })))
    const millisLeft = Date.UTC(2026, 7, 1) - FIRST
    const recall = (after: number) =>
      ask(payments.recall(requestFor({ kind: 'cards', owner }, after)))
    expect(await recall(millisLeft - 1)).toMatchObject([{ token: 'c1' }])
    expect(await recall(millisLeft)).toEqual([])
  })

  it.each([
    ['Prueba Ensayo', 'low_risk'],
    ['lowrisk event', 'low_risk'],
    ['highrisk event', 'high_risk'],
    ['evaluation event', 'under_evaluation'],
  ])('says at once that the risk of %s is %s', async (surnames, level) => {
    expect(await assess(surnames)).toBe(level)
  })

  it('ends an evaluation of a risk after 60 s: it is low', async () => {
    expect(await assess('evaluation event', 59_999, true)).toEqual({ inMillis: 1 })
    expect(await assess('evaluation event', 60_000, true)).toBe('low_risk')
  })

  it.each([
    ['cancellation event', '01', { cancelIn: 0 }],
    ['Cancellation Event', '07', { cancelIn: 60_000 }],
    ['Prueba Ensayo', '07', null],
  ])(
    'of %s, born on the %s, says when to ask for a cancellation: %j',
    async (surnames, dob_day, answer) => {
      const person = { ...SHOPPER, surnames, dob_day }
      expect(await ask(risk.watch(requestFor({ kind: 'watch', person })))).toEqual(answer)
    },
  )
})
