import type { EffectKind } from '@plazo/core'
import type { PayloadOf, ProviderError, ProviderReply, ProviderRequest } from '@plazo/core/ports'
import type { Person } from '@plazo/core/protocol'
import { SHOPPER as person } from '@plazo/core/testing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { memoryRecords } from '../memory/records.ts'
import { sandboxProviders } from './providers.ts'
import { TRIGGERS } from './triggers.ts'

const personCalled = (surnames: string): Person => ({ ...person, surnames })

const FIRST = Date.UTC(2026, 0, 5)

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

const replyOf = async <A>(
  reply: TE.TaskEither<ProviderError, ProviderReply<A>>,
): Promise<ProviderReply<A>> => {
  const answered = await reply()
  if (E.isLeft(answered)) throw new Error(answered.left.message)
  return answered.right
}

const screeningOf = (surnames: string): PayloadOf<'screening'> => ({
  kind: 'screening',
  person: personCalled(surnames),
  agreement: { product: 'i1', instalmentCount: 1 },
  total: 12100,
  currency: 'EUR',
  merchant: 'demo',
})

const riskOf = (surnames: string, underEvaluation = false): PayloadOf<'risk'> => ({
  kind: 'risk',
  person: personCalled(surnames),
  amount: 12100,
  currency: 'EUR',
  underEvaluation,
})

const openProviders = () => {
  const records = memoryRecords()
  return { records, providers: sandboxProviders(records) }
}

describe('the sandbox screening', () => {
  const { providers } = openProviders()
  const screen = (surnames: string, after = 1000) =>
    replyOf(providers.screening.screen(requestFor(screeningOf(surnames), after)))

  it('takes a second from the first question on', async () => {
    expect(await screen('Prueba Ensayo', 0)).toEqual({ type: 'later', inMillis: 1000 })
    expect(await screen('Prueba Ensayo', 999)).toEqual({ type: 'later', inMillis: 1 })
    expect((await screen('Prueba Ensayo', 1000)).type).toBe('answer')
  })

  it('never ends for expiry event', async () => {
    expect((await screen('expiry event', 59_999)).type).toBe('later')
    expect((await screen('expiry event', 99 * 3_600_000)).type).toBe('later')
  })

  it('reads surnames in any case, with any blanks', async () => {
    expect(await screen('  DENIAL\t Event ')).toMatchObject({ value: { outcome: 'denied' } })
    expect(await screen('denial event 2')).toMatchObject({ value: { outcome: 'approved' } })
  })
})

describe('the sandbox triggers', () => {
  it('are surnames that the identification form accepts: two words', () => {
    for (const { surnames } of TRIGGERS) expect(surnames).toMatch(/^\S+ \S+$/)
  })
})

it('the sandbox SMS is requested again if the sandbox store is unreachable', async () => {
  const broken = {
    ...memoryRecords(),
    add: () => TE.left({ _tag: 'Unavailable', code: 'unknown', message: 'gone' } as const),
  }
  const sms = requestFor<'sms'>({ kind: 'sms', to: '600123456', text: '', code: '24680' })
  expect(await sandboxProviders(broken).sms.send(sms)()).toEqual(
    E.left({ _tag: 'ProviderError', reason: 'other', message: 'gone' }),
  )
})

describe('the sandbox identity', () => {
  const { providers } = openProviders()
  const openSession = (surnames: string, after: number) =>
    replyOf(
      providers.identity.open(
        requestFor<'session'>(
          { kind: 'session', person: personCalled(surnames), token: 't' },
          after,
        ),
      ),
    )

  it.each([
    ['verification event', 'VERIFIED'],
    ['unverified event', 'FAILED'],
  ])('reports after 2 s for %s: %s', async (surnames, status) => {
    expect(await openSession(surnames, 1_999)).toEqual({ type: 'later', inMillis: 1 })
    expect(await openSession(surnames, 2_000)).toEqual({
      type: 'answer',
      value: { type: 'reported', status },
    })
  })

  it('waits for the shopper’s choice for identity event', async () => {
    expect(await openSession('identity event', 0)).toEqual({ type: 'answer', value: null })
  })
})

describe('the sandbox cards', () => {
  const card = {
    token: 'c1',
    brand: 'visa',
    lastFour: '1111',
    expiry: '07/26',
    maskedPan: '411111******1111',
  }
  const owner = { account: 'demo', nin: '12345678Z', phone: '600123456' }

  it('are found until the end of their month, like the form accepts them', async () => {
    const { providers } = openProviders()
    await replyOf(providers.payments.keep(requestFor<'card'>({ kind: 'card', owner, card })))
    const millisLeft = Date.UTC(2026, 7, 1) - FIRST
    const recalledAfter = (after: number) =>
      replyOf(providers.payments.recall(requestFor<'cards'>({ kind: 'cards', owner }, after)))
    expect(await recalledAfter(millisLeft - 1)).toMatchObject({ value: [{ token: 'c1' }] })
    expect(await recalledAfter(millisLeft)).toMatchObject({ value: [] })
  })
})

describe('the sandbox risk', () => {
  const { risk } = openProviders().providers

  it.each([
    ['Prueba Ensayo', 'low_risk'],
    ['lowrisk event', 'low_risk'],
    ['highrisk event', 'high_risk'],
    ['evaluation event', 'under_evaluation'],
  ])('of %s is %s immediately', async (surnames, level) => {
    expect(await replyOf(risk.assess(requestFor(riskOf(surnames))))).toEqual({
      type: 'answer',
      value: level,
    })
  })

  it('under evaluation is low after 60 s', async () => {
    expect(
      await replyOf(risk.assess(requestFor(riskOf('evaluation event', true), 59_999))),
    ).toMatchObject({
      type: 'later',
    })
    expect(
      await replyOf(risk.assess(requestFor(riskOf('evaluation event', true), 60_000))),
    ).toMatchObject({
      value: 'low_risk',
    })
  })
})
