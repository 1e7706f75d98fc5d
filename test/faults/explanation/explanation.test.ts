// An explanation is checked as a prediction: what it says would happen by itself must be the next
// thing that happens if every request fails. `EXPLANATIONS` sets how many, and `SEED` the first order.
import { isDeepStrictEqual } from 'node:util'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  completeJob,
  executeEffect,
  explainOrder,
  type FullHost,
  type JournalLine,
} from '@plazo/core'
import { isOver } from '@plazo/core/internal'
import type { Act } from '@plazo/core/internal/testing'
import type { MerchantGateway, Providers } from '@plazo/core/ports'
import { act, openHarness, performAct } from '@plazo/core/testing'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { seededRandom } from '../../harness/seeded-random.ts'

const EXPLANATIONS = Number(process.env.EXPLANATIONS ?? 300)
const SEED = Number(process.env.SEED ?? 1)
const ROUNDS = 30
// An effect that is repeated every twelve hours for ever changes nothing any more.
const SILENT_MILLIS = 9 * 24 * 3_600_000

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

const fail = () =>
  TE.left({ _tag: 'ProviderError' as const, reason: 'other' as const, message: 'down' })
const PROVIDERS: Providers = {
  screening: { screen: fail },
  sms: { send: fail },
  identity: { open: fail },
  payments: { open: fail, void: fail, refund: fail, recall: fail, keep: fail },
  risk: { assess: fail, watch: fail },
}
const GATEWAY: MerchantGateway = {
  post: () =>
    TE.left({ _tag: 'RequestFailure', error: 'connection_refused', message: 'down' } as const),
}

const submit = (code: 'none' | 'last', product: 'i1' | 'pp3' | 'fp1'): Act => ({
  ...{ type: 'submit', who: 'Ana', wrongField: null },
  ...{ code, product },
})

/** Leads a shopper part of the way to a merchant, an operator or a cancellation. */
const actsOf = (seed: number): readonly Act[] => {
  const draw = seededRandom(seed, 'explanation')
  const product = draw.pick(['i1', 'pp3', 'fp1'] as const)
  const path: readonly Act[] = [
    { type: 'script', change: { screening: draw.pick(['approved', 'review', 'identity']) } },
    { type: 'script', change: { ipn: draw.pick([200, 503, null]), isOpening: draw.below(4) > 0 } },
    submit('none', product),
    submit('last', product),
    { type: 'pass', millis: 2_000 },
    submit('none', product),
    { type: 'verify', status: draw.pick(['VERIFIED', 'FAILED']) },
    { type: 'pay', outcome: draw.pick(['succeeded', 'failed']), isOld: false },
    { type: 'pass', millis: draw.pick([1_000, 3_600_000]) },
    { type: 'operator', act: draw.pick(['approve', 'request-cancellation']) },
    { type: 'merchant', act: draw.pick(['confirmed', 'on_hold']) },
  ]
  const others = draw.pick([0, 0, 3])
  return [
    ...path.slice(0, 3 + draw.below(path.length - 2)),
    ...(others === 0 ? [] : fc.sample(act, { seed, numRuns: others })),
  ]
}

/** Names what each explanation of one order has predicted. */
const checkOrder = async (seed: number): Promise<readonly string[]> => {
  const { store } = openSqlite(':memory:')
  const harness = await openHarness(store, { hasIpn: seed % 4 > 0, hasEvents: seed % 3 > 0 })
  for (const each of actsOf(seed)) await performAct(harness, each)
  let now = harness.host.clock.now()
  const host: FullHost = { ...harness.host, store, clock: { now: () => now } }
  const execute = executeEffect({ ...host, providers: PROVIDERS, gateway: GATEWAY }, 0)
  const capacity = { internal: 10, deliveries: 10, notGood: 10 }
  const named: string[] = []

  for (let round = 0; round < ROUNDS; round++) {
    const before = await harness.order()
    const { byItself, awaits } = right(await explainOrder(host)(before)())
    if (awaits.length === 0) expect(isOver(before.state), `seed ${seed}`).toBe(true)
    named.push(byItself?.event ?? 'nothing')
    const until = now + SILENT_MILLIS
    const isNews = ({ seq, event, from, to }: JournalLine): boolean =>
      seq > before.revision && (event === byItself?.event || !isDeepStrictEqual(from, to))
    let news: JournalLine | undefined
    while (news === undefined) {
      const dueAt = right(await store.nextDueAt()())
      if (dueAt === null || dueAt > until) break
      now = Math.max(now, dueAt)
      for (const job of right(await store.claim(() => ({ at: now, perAccount: null, capacity }))()))
        right(await completeJob(host)(job, await execute(job)())())
      news = (await harness.journal()).find(isNews)
    }
    expect(news?.event, `seed ${seed}`).toBe(byItself?.event)
    if (byItself === null) break
    expect(news, `seed ${seed}`).toMatchObject({ to: byItself.state, at: byItself.at })
  }
  return named
}

it('what an explanation says would happen by itself happens next if every request fails', async () => {
  const named: string[] = []
  for (let seed = SEED; named.length < EXPLANATIONS; seed++) named.push(...(await checkOrder(seed)))
  // Without these, the test would have predicted little.
  expect(new Set(named)).toEqual(
    new Set([...named, 'timer.fired', 'session.unavailable', 'payment.unavailable', 'nothing']),
  )
}, 300_000)
