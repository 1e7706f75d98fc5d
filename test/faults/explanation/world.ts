// A world with one order that anything may have happened to, and which can then be left alone: every
// request fails at once, and everything that changes the order is noted. Explanations made on the
// way are compared with it.
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  type CompletionDecide,
  completeJob,
  type Delivery,
  type Effect,
  executeEffect,
  type FullStore,
  type Host,
  type Job,
  type MerchantGateway,
  type Order,
  type OrderEvent,
  type OrderState,
  type Providers,
  type Step,
} from '@plazo/core/internal'
import {
  type Act,
  act,
  type OrderHarness,
  openHarness,
  PERSON,
  performAct,
} from '@plazo/core/testing'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Explanation,
  type ExplanationFacts,
  explainWith,
  LINES_READ,
} from '../../../packages/core/src/explanation/explanation.ts'
import { TRIAL_VALUES } from '../../../packages/core/src/explanation/trial.ts'
import { seededRandom } from '../../harness/seeded-random.ts'

const SECOND = 1000
const QUIET_ROUNDS = 30
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR

const LAST_WORDS = ['confirmed', 'on_hold', 'approve', 'request-cancellation', 'submit'] as const
type LastWord = (typeof LAST_WORDS)[number]

type Story = {
  readonly hasIpn: boolean
  readonly hasEvents: boolean
  readonly sendsActionEvents: boolean
  readonly acts: readonly Act[]
  /** What somebody does after the acts. No job runs because of it before the order is left alone. */
  readonly lastWord: LastWord | null
  /** How long nothing runs after the acts, as if the server was down. */
  readonly downFor: number
  /** Attempts are in flight when the order is left alone; that of an IPN ends after so long. */
  readonly flight: number | null
  readonly jitter: number
  /** How long the order is left alone. */
  readonly silentFor: number
}

const submit = (code: 'none' | 'last', product: 'i1' | 'pp3' | 'fp1' | null): Act => ({
  type: 'submit',
  who: 'Ana',
  wrongField: null,
  code,
  product,
})
const pass = (millis: number): Act => ({ type: 'pass', millis })

type Draw = ReturnType<typeof seededRandom>

const script = (change: Extract<Act, { type: 'script' }>['change']): Act => ({
  type: 'script',
  change,
})

/** Acts that lead a shopper up to the merchant, an operator or a cancellation, or part of the way. */
const pathOf = (draw: Draw): readonly Act[] => {
  const product = draw.pick(['i1', 'pp3', 'fp1'] as const)
  const later: readonly [Act, ...Act[]] = [
    { type: 'operator', act: 'approve' },
    { type: 'operator', act: 'request-cancellation' },
    { type: 'merchant', act: 'confirmed' },
    { type: 'merchant', act: 'on_hold' },
    pass(SECOND),
    pass(HOUR),
  ]
  const acts: readonly Act[] = [
    script({ screening: draw.pick(['approved', 'approved', 'review', 'identity', 'alternative']) }),
    script({ identity: draw.pick(['VERIFIED', 'FAILED', 'waits']) }),
    script({ ipn: draw.pick([200, 200, 503, null]) }),
    script({ cancel: draw.pick([null, { status: 200, body: '{"result":"retry","retry_in":5}' }]) }),
    script({ isOpening: draw.below(4) > 0, risk: draw.pick(['low_risk', 'under_evaluation']) }),
    submit('none', product),
    submit('last', product),
    pass(2 * SECOND),
    submit('none', product),
    draw.pick<Act>([{ type: 'verify', status: 'VERIFIED' }, pass(2 * SECOND)]),
    pass(draw.pick([0, 4 * SECOND])),
    draw.pick<Act>([
      { type: 'pay', outcome: 'succeeded', isOld: false },
      { type: 'pay', outcome: 'failed', isOld: false },
    ]),
    pass(SECOND),
    draw.pick(later),
    script({ ipn: draw.pick([200, 503, null]) }),
    draw.pick(later),
    draw.pick(later),
  ]
  return acts.slice(0, 5 + draw.below(acts.length - 4))
}

export const storyOf = (seed: number): Story => {
  const draw = seededRandom(seed, 'explanation')
  const random = (count: number): readonly Act[] =>
    count === 0 ? [] : fc.sample(act, { seed: seed + count, numRuns: count })
  return {
    hasIpn: draw.below(4) > 0,
    hasEvents: draw.below(4) > 0,
    sendsActionEvents: draw.below(2) === 0,
    acts: [...random(draw.below(3)), ...pathOf(draw), ...random(draw.pick([0, 0, 3, 12]))],
    lastWord: draw.pick([null, null, ...LAST_WORDS]),
    downFor: draw.pick([0, 0, 0, 0, 20 * SECOND, 40 * SECOND, 7 * HOUR, 2 * DAY, 8 * DAY]),
    flight: draw.below(3) === 0 ? draw.below(30 * SECOND) : null,
    jitter: draw.pick([0, 0, 0.1, 0.5]),
    silentFor: draw.below(50) === 0 ? 366 * DAY : 9 * DAY,
  }
}

type World = { readonly store: FullStore; readonly harness: OrderHarness }

/** Opens the world of the story, after all its acts. */
export const worldOf = async (story: Story): Promise<World> => {
  const { acts, ...setting } = story
  const { store } = openSqlite(':memory:')
  const harness = await openHarness(store, setting)
  for (const each of acts) await performAct(harness, each)
  await say(harness, story.lastWord)
  return { store, harness }
}

const say = async (harness: OrderHarness, word: LastWord | null): Promise<void> => {
  if (word === 'confirmed' || word === 'on_hold') await harness.merchantSays(word)
  if (word === 'approve' || word === 'request-cancellation') await harness.operatorDoes(word)
  if (word === 'submit') await harness.submit({ ...PERSON, validation_code: harness.lastCode() })
}

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

const failAtOnce = () =>
  TE.left({ _tag: 'ProviderError' as const, reason: 'other' as const, message: 'down' })
const PROVIDERS: Providers = {
  screening: { screen: failAtOnce },
  sms: { send: failAtOnce },
  identity: { open: failAtOnce },
  payments: {
    open: failAtOnce,
    void: failAtOnce,
    refund: failAtOnce,
    recall: failAtOnce,
    keep: failAtOnce,
  },
  risk: { assess: failAtOnce, watch: failAtOnce },
}
const GATEWAY: MerchantGateway = {
  post: () =>
    TE.left({ _tag: 'RequestFailure', error: 'connection_refused', message: 'down' } as const),
}

/** Reads all that an explanation needs. */
const factsOf = async ({ store }: World, order: Order, at: number): Promise<ExplanationFacts> => {
  const { orderRef, merchant } = order.placed
  const filter = { merchantRef: merchant.ref, orderRef, state: null, before: null, limit: 1_000 }
  const deliveries: readonly Delivery[] = right(await store.deliveries.list(filter)())
  return {
    order,
    at,
    referenceIsTaken: false,
    journal: right(await store.journal(orderRef, LINES_READ)()),
    jobs: right(await store.inspection.pendingJobs(orderRef)()),
    deliveries,
  }
}

/** A step that changed the order's state, its money or its effects. */
export type Noted = {
  readonly event: OrderEvent
  readonly step: Step
  readonly before: Order
  readonly at: number
}

type Silence = {
  /** Called with each explanation, and with the changes noted since it was made. */
  readonly onExplained: (facts: ExplanationFacts, explanation: Explanation) => void
  readonly onChanged: (noted: Noted) => void
}

/** Leaves the order alone, and explains it before each attempt. Returns when nothing is due any more. */
export const leaveAlone = async (world: World, story: Story, silence: Silence): Promise<void> => {
  const { store, harness } = world
  const { orderRef } = (await harness.order()).placed
  let now = harness.host.clock.now() + story.downFor
  const until = now + story.silentFor

  const noting =
    (
      decide: CompletionDecide,
      note: (noted: Omit<Noted, 'event' | 'at'>) => void,
    ): CompletionDecide =>
    (order, isTaken) => {
      const decided = decide(order, isTaken)
      if (E.isRight(decided)) note({ before: order, step: decided.right.step })
      return decided
    }

  const observed: FullStore = {
    ...store,
    complete: (job, completion) => async () => {
      let noted: Omit<Noted, 'event' | 'at'> | null = null
      const decide = completion.decide && noting(completion.decide, (each) => (noted = each))
      const result = await store.complete(job, { ...completion, decide })()
      if (noted !== null) note(noted)
      return result
    },
  }
  const note = ({ before, step }: Omit<Noted, 'event' | 'at'>): void => {
    const event = step.journal[0]?.input?.event
    const hasMoved = JSON.stringify(before.state) !== JSON.stringify(step.order.state)
    const hasPaid =
      JSON.stringify(before.context.payments) !== JSON.stringify(step.order.context.payments)
    if (event !== undefined && (hasMoved || hasPaid || step.effects.length > 0)) {
      quietRounds = 0
      silence.onChanged({ event, before, step, at: now })
    }
  }

  const host: Host = {
    ...harness.host,
    store: observed,
    clock: { now: () => now },
    ids: { ...harness.host.ids, random: () => TRIAL_VALUES },
  }
  const execute = executeEffect({ ...host, providers: PROVIDERS, gateway: GATEWAY }, story.jitter)
  const run = async (job: Job): Promise<void> => {
    right(await completeJob(host)(job, await execute(job)())())
  }

  const claim = async (): Promise<readonly Job[]> =>
    right(
      await store.claim(() => ({
        at: now,
        perAccount: null,
        capacity: { internal: 10, deliveries: 10, notGood: 10 },
      }))(),
    )

  // An effect that is repeated every twelve hours for ever would fill all explanations.
  let quietRounds = 0
  const explain = async (): Promise<void> => {
    if (++quietRounds > QUIET_ROUNDS) return
    const order = await harness.order()
    const facts = await factsOf(world, order, now)
    // No prediction depends on the journal.
    const explanation = explainWith(harness.host.terms)({ ...facts, journal: [] })
    if (explanation.byItself === null) quietRounds += QUIET_ROUNDS / 3
    silence.onExplained(facts, explanation)
  }

  let flying: readonly Job[] = []
  let flyingUntil = 0
  if (story.flight !== null) {
    flying = await claim()
    // Only an IPN is waited for. Any other attempt fails at once, as all later ones do.
    flyingUntil = flying.some(({ payload }) => payload.kind === 'ipn') ? now + story.flight : now
    if (flying.length > 0) await explain()
    const [ipns, others] = [
      flying.filter(({ payload }) => payload.kind === 'ipn'),
      flying.filter(({ payload }) => payload.kind !== 'ipn'),
    ]
    for (const job of others) await run(job)
    flying = ipns
  }

  for (;;) {
    await explain()
    const next = right(await store.nextDueAt()())
    if (flying.length > 0 && (next === null || next > flyingUntil)) {
      now = Math.max(now, flyingUntil)
      for (const job of flying) await run(job)
      flying = []
      continue
    }
    if (next === null || next > until) return
    now = Math.max(now, next)
    const dueAt = new Map(
      right(await store.inspection.pendingJobs(orderRef)()).map((job) => [job.key, job.dueAt]),
    )
    const claimed = (await claim()).toSorted(
      (one, other) => (dueAt.get(one.key) ?? 0) - (dueAt.get(other.key) ?? 0),
    )
    for (const job of claimed) await run(job)
    if (claimed.length > 0) continue
    if (flying.length > 0) {
      now = Math.max(now, flyingUntil)
      for (const each of flying) await run(each)
      flying = []
    } else throw new Error(`Something is due at ${next}, and nothing can be claimed.`)
  }
}

/** The explanation's effects, or those of a step, as far as two of them must agree. */
export const comparable = (effects: readonly Effect[], isLatest: boolean): unknown =>
  isLatest
    ? effects.map(({ type, lane }) => `${type} ${lane}`)
    : // Each attempt that fails before has a number, and keys have the numbers.
      JSON.stringify(effects).replaceAll(/:\d+:/g, ':n:')

export const sameState = (one: OrderState, other: OrderState): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
