import type { Store } from '@plazo/core'
import type { Log } from '@plazo/server'
import { SECRET } from '../crash/merchants.ts'
import { termsAt } from '../crash/replay.ts'
import { type Seeded, seeded } from '../crash/seeded.ts'
import { accountOf } from './account.ts'
import { answerLaws } from './answer-laws.ts'
import { everybodyDecides } from './calm.ts'
import { faultsOf, outlivesCodes } from './faults.ts'
import { beginLife } from './life.ts'
import { livesOf } from './lives.ts'
import { merchantsOf } from './merchants.ts'
import { type Answered, networkOf } from './network.ts'
import { DAY, HOUR, type Plan, planOf, streamOf } from './plan.ts'
import { type Ledger, troubled } from './providers.ts'
import { scheduler as newScheduler } from './scheduler.ts'
import { config, EPOCH, firstImage, idsOf, keyring, URL_OF_MERCHANTS, URL_OF_US } from './setting.ts'
import { walk } from './shopper.ts'
import { staffOf } from './staff.ts'
import { type StoryLine, storyOf, type Tally, type Violation } from './story.ts'
import { watchedStore } from './watched-store.ts'
import { newWeather, storeMayFail } from './weather.ts'
import { witnessOf } from './witness.ts'

export type WorldOptions = {
  readonly seed: number
  /** The numbers of the orders to place. */
  readonly orders: readonly number[]
  /** The numbers of the faults to apply; null applies all. */
  readonly faults: readonly number[] | null
  /** Wraps the store, to plant a bug. */
  readonly store?: (own: Store) => Store
}

export type Outcome = {
  readonly violations: readonly Violation[]
  readonly digest: string
  readonly tally: Tally
  readonly lines: readonly StoryLine[]
  readonly steps: number
  /** Milliseconds of simulated time. */
  readonly lasted: number
}

export const FAULTS = 24
const BUSY_FOR = 2 * HOUR
const LASTS_AT_MOST = 500 * DAY
const STEPS_AT_MOST = 3_000_000

export const runWorld = async ({
  seed,
  orders,
  faults: kept,
  store: plant = (own) => own,
}: WorldOptions): Promise<Outcome> => {
  const scheduler = newScheduler()
  const story = storyOf(scheduler.now)
  const weather = newWeather()
  const plans = new Map(orders.map((number) => [number, planOf(seed, number, BUSY_FOR)] as const))
  const numbers = new Map<string, number>()
  const paid: { readonly order: number; readonly orderRef: string; readonly token: string }[] = []
  /** Orders that a 204 has named: the server must never report these as unknown. */
  const named = new Set<string>()
  const reviewed = new Set<string>()
  const finished = new Set<string>()
  const ledger: Ledger = new Map()
  const asked = new Set<string>()
  const laws = answerLaws()
  const witness = witnessOf(termsAt(URL_OF_US), story)
  const ids = idsOf(seeded(seed, 'ids'))
  const draw = seeded(seed, 'life')
  const streams = new Map<string, Seeded>()
  let atWork = 0

  const stream = (order: number, use: string): Seeded => {
    const name = `${order} ${use}`
    const known = streams.get(name) ?? streamOf(seed, order, use)
    streams.set(name, known)
    return known
  }
  const broken = new Set<string>()
  const violated = (law: string, order: number | null, sentence: string): void => {
    const name = `${law} ${order}`
    if (broken.has(name)) return
    broken.add(name)
    story.tell(order, `VIOLATION of ${law}: ${sentence}`)
    story.violated(law, order, sentence)
  }
  const watching = { ...story, violated }

  const lives = livesOf({
    scheduler,
    weather,
    story: watching,
    image: await firstImage(),
    begin: (image) =>
      beginLife(image, {
        config,
        url: URL_OF_US,
        scheduler,
        weather,
        draw,
        ids,
        realNow: wallNow,
        exchange: merchants.exchange,
        deciders: (own) => troubled(providers, own),
        store,
        log,
        onMoment: lives.onMoment,
        frozenFor: lives.frozenFor,
      }),
  })

  const wallNow = (): number => Math.floor(EPOCH + scheduler.now() + lives.skew())

  const providers = {
    scheduler,
    weather,
    story: watching,
    numberOf: (orderRef: string) => numbers.get(orderRef) ?? null,
    drawOf: (order: number) => stream(order, 'providers'),
    ledger,
    asked,
  }

  const store = watchedStore({ story, witness, numbers, violated, wallNow, plant })

  const log: Log = (event, fields) => {
    if (event === 'settled') return
    story.tell(null, `log: ${event} ${'key' in fields ? fields.key : ''}`)
    story.count('logged', event)
    const isOurs = ['fault', 'entry_faulted', 'stuck', 'crashed'].includes(event)
    const isStore = event === 'unavailable' && !storeMayFail(weather)
    if ((isOurs || isStore) && lives.isServing())
      violated(
        'no fault of ours',
        null,
        `${event} ${JSON.stringify(fields)} ${'thrown' in fields ? String(fields.thrown) : ''}`,
      )
  }

  const network = networkOf({
    scheduler,
    weather,
    story,
    drawOf: (order) => stream(order, 'network'),
    server: () => {
      const serving = lives.current()
      if (serving === null || !lives.isServing()) return null
      return async (request): Promise<Answered | null> => {
        const mayFail = storeMayFail(weather)
        const answering = witness.asked(request)
        const askedAt = wallNow()
        const answered = await serving.serve(request)
        answering()
        if (answered === null) return null
        story.count('answers', String(answered.status))
        story.tell(
          request.order,
          `${request.method} ${request.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '…')} → ${answered.status} ${String(answered.body.action ?? '')}`,
        )
        const isUnknown = answered.status === 404 && ![...named].some((orderRef) => request.path.includes(orderRef))
        if (isUnknown) return answered
        witness.answered(request, answered, askedAt, wallNow(), scheduler.steps())
        for (const sentence of laws.judge(request, answered, mayFail || storeMayFail(weather) || lives.isStopping()))
          violated('answers keep to their tables', request.order, sentence)
        return answered
      }
    },
  })

  const staff = (number: number) =>
    staffOf({ scheduler, network, story, plan: plans.get(number) as Plan, draw: stream(number, 'staff') })

  const merchants = merchantsOf({
    scheduler,
    weather,
    story: watching,
    network,
    secret: SECRET,
    onSent: (request) => witness.sent(request, wallNow()),
    planOf: (order) => plans.get(order),
    drawOf: (order) => stream(order, 'merchant'),
    put: (order, orderRef, state) => staff(order).put(orderRef, state),
  })

  const working = (work: Promise<unknown>): void => {
    atWork += 1
    void work
      .catch((cause: unknown) =>
        violated('the simulation itself', null, cause instanceof Error ? (cause.stack ?? '') : String(cause)),
      )
      .finally(() => {
        atWork -= 1
      })
  }

  const review = (orderRef: string, number: number): void => {
    if (reviewed.has(orderRef)) return
    reviewed.add(orderRef)
    working(staff(number).review(orderRef))
  }

  const reviewAnew = (orderRef: string, number: number): void => {
    reviewed.delete(orderRef)
    review(orderRef, number)
  }

  for (const plan of plans.values())
    working(
      walk({
        scheduler,
        network,
        story,
        plan,
        draw: stream(plan.number, 'shopper'),
        merchantsUrl: URL_OF_MERCHANTS,
        onPlaced: (orderRef) => {
          named.add(orderRef)
          story.count('orders', 'placed')
        },
        onPaid: (orderRef, token) => void paid.push({ order: plan.number, orderRef, token }),
        onReviewing: (orderRef) => review(orderRef, plan.number),
        onFinished: (orderRef) => {
          if (finished.has(orderRef)) return
          finished.add(orderRef)
          working(staff(plan.number).afterwards(orderRef))
        },
      }),
    )

  const faults = faultsOf(seed, FAULTS, BUSY_FOR).filter(({ number }) => kept === null || kept.includes(number))
  for (const fault of faults) scheduler.after(fault.at, () => lives.happen(fault))

  const calm = (): void => {
    weather.isCalm = true
    lives.disarm()
    story.tell(null, 'CALM: nothing goes wrong any more')
  }
  working(everybodyDecides({ scheduler, network, numbers, plans, staff, review: reviewAnew, calm }))

  let isAtRest = false
  const isLawful = (): boolean => story.violations.length === 0
  while (!isAtRest && isLawful() && scheduler.now() < LASTS_AT_MOST && scheduler.steps() < STEPS_AT_MOST) {
    await lives.turn()
    const life = lives.current()
    const next = scheduler.next()
    if (next === null) break
    // A stopping server waits for the same timers as one that polls. If they were postponed, it would never end.
    const isIdle = life !== null && !life.isDead() && !lives.isStopping() && life.inFlight() === 0
    if (isIdle && next.turn !== 'other' && life.database.open) {
      const { claimed, due } = life.due()
      const other = scheduler.nextOther()
      const dueIn = due === null ? Number.POSITIVE_INFINITY : due - EPOCH - lives.skew()
      isAtRest = claimed === 0 && due === null && other === Number.POSITIVE_INFINITY && atWork === 0
      const until = Math.min(dueIn, other)
      if (!isAtRest && claimed === 0 && next.turn === 'poll' && until < Number.POSITIVE_INFINITY && until > next.due) {
        scheduler.putOff(until)
        continue
      }
    }
    await scheduler.step()
  }

  if (!isAtRest && isLawful())
    violated(
      'everything comes to rest',
      null,
      `After ${scheduler.now() / DAY} days and ${scheduler.steps()} steps, ${atWork} are still at work.`,
    )
  const left = lives.left()
  const misdeeds = isLawful()
    ? accountOf({
        left,
        keyring,
        sent: merchants.sent,
        paid,
        ledger,
        asked,
        story,
        url: URL_OF_US,
        witness,
        at: wallNow(),
        wasSetBack: lives.wasSetBack(),
        outlivesCodes: faults.some(outlivesCodes),
      })
    : []
  for (const { law, orderRef, sentence } of misdeeds) violated(law, numbers.get(orderRef) ?? null, sentence)
  return {
    violations: story.violations,
    digest: story.digest(),
    tally: story.tally(),
    lines: story.lines,
    steps: scheduler.steps(),
    lasted: scheduler.now(),
  }
}
