// A world: one server and everybody around it, from the first order to the day on which nothing is left to be done. All
// of it runs in this process, in one order, out of one seed.

import { sign } from '@plazo/adapters/http'
import { hashPassword, parseKeyring } from '@plazo/adapters/sealing'
import { openDatabase, openSqlite } from '@plazo/adapters/sqlite'
import {
  CATALOGUE,
  type Conclusion,
  type Decide,
  type EventName,
  type Ids,
  outcomeOf,
  type Report,
  type Store,
} from '@plazo/core'
import { type Config, compose, type Log, readConfig } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { termsAt } from '../crash/replay.ts'
import { type Seeded, seeded } from '../crash/seeded.ts'
import { accountOf } from './account.ts'
import { answerLaws } from './answer-laws.ts'
import { CALM, type Fault, type FaultKind, faultsOf, toldFault } from './faults.ts'
import { beginLife, fillDisk, freeDisk, type Life } from './life.ts'
import { merchantsOf } from './merchants.ts'
import { type Answered, networkOf, type Request } from './network.ts'
import { ACCOUNT, DAY, HOUR, MERCHANTS, type Plan, planOf, streamOf } from './plan.ts'
import { type Ledger, troubled } from './providers.ts'
import { scheduler as newScheduler } from './scheduler.ts'
import { walk } from './shopper.ts'
import { staffOf } from './staff.ts'
import { stepLaws } from './step-laws.ts'
import { type StoryLine, storyOf, type Tally, type Violation } from './story.ts'
import { newWeather, storeMayFail } from './weather.ts'
import { witnessOf } from './witness.ts'

export type WorldOptions = {
  readonly seed: number
  /** The numbers of the orders that are placed. */
  readonly orders: readonly number[]
  /** The numbers of the faults that happen; null: all. */
  readonly faults: readonly number[] | null
  /** Planted, to see it found. */
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
const URL_OF_US = 'http://localhost:3000'
const URL_OF_MERCHANTS = 'http://127.0.0.1:9999'
const SECRET = '0123456789abcdef0123456789abcdef'
const EPOCH = Date.UTC(2026, 0, 5)
const BUSY_FOR = 2 * HOUR
const LASTS_AT_MOST = 500 * DAY
const STEPS_AT_MOST = 3_000_000

const CHECKOUT = /^\/api\/v1\/checkout\/([^/]+)\/(identification|wait)$/

const keyring = (() => {
  const parsed = parseKeyring(`simulated:${Buffer.alloc(32, 7).toString('base64')}`)
  if (E.isLeft(parsed)) throw new Error(parsed.left)
  return parsed.right
})()

const config: Config = (() => {
  const read = readConfig({ DATABASE_URL: 'sqlite::memory:', WEBHOOK_JITTER: '0.1', RETAIN_DELIVERIES: 'forever' })
  if (E.isLeft(read)) throw new Error(read.left.join('\n'))
  return { ...read.right, keyring }
})()

/** The database that every world begins with. */
const makeTemplate = async (): Promise<Buffer> => {
  const database = openDatabase(':memory:')
  const home = openSqlite(':memory:', { database, keyring })
  const passwordHash = await hashPassword(ACCOUNT.password)
  for (const ref of MERCHANTS)
    await home.merchants.add({
      ref,
      name: ref,
      username: ACCOUNT.username,
      passwordHash,
      signatureSecret: SECRET,
      country: null,
      currency: 'EUR',
      products: CATALOGUE.map(({ code }) => code),
      optionalFields: [],
      sendActionEvents: ref === 'pushed',
    })()
  let image = database.serialize()
  const settled = openDatabase(image)
  Object.assign(settled, {
    close: () => {
      image = settled.serialize()
    },
  })
  // The sandbox adds its own merchant at its first start.
  const plazo = await compose(config, URL_OF_US, () => {}, { database: settled })
  await plazo.stop()
  return image
}

let template: Promise<Buffer> | null = null

const idsOf = (draw: Seeded): Ids => {
  const hex = (digits: number): string => Array.from({ length: digits }, () => draw.below(16).toString(16)).join('')
  return {
    orderRef: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    fresh: () => ({ code: String(draw.below(100_000)).padStart(5, '0'), token: hex(22) }),
  }
}

const CRASH_AT: Partial<Record<FaultKind, 'before a commit' | 'after a commit' | 'claimed' | 'carried out'>> = {
  'crash before a commit': 'before a commit',
  'crash after a commit': 'after a commit',
  'crash after a claim': 'claimed',
  'crash once carried out': 'carried out',
}

/** Whom a server of this seed meets: everybody, whoever is left out of a world. */
export const plansOf = (seed: number, orders: readonly number[]): readonly Plan[] =>
  orders.map((number) => planOf(seed, number, BUSY_FOR))

export const runWorld = async ({
  seed,
  orders,
  faults: kept,
  store: plant = (own) => own,
}: WorldOptions): Promise<Outcome> => {
  template ??= makeTemplate()
  let image = await template
  const scheduler = newScheduler()
  const story = storyOf(scheduler.now)
  const weather = newWeather()
  const plans = new Map(plansOf(seed, orders).map((plan) => [plan.number, plan] as const))
  const numbers = new Map<string, number>()
  const paid: { readonly order: number; readonly orderRef: string; readonly token: string }[] = []
  /** Orders that a 204 has named: these may never be unknown. */
  const named = new Set<string>()
  const reviewed = new Set<string>()
  const finished = new Set<string>()
  const ledger: Ledger = new Map()
  const failed = new Set<string>()
  const laws = answerLaws()
  const witness = witnessOf(termsAt(URL_OF_US), story)
  const attempts = new Map<string, number>()
  const ids = idsOf(seeded(seed, 'ids'))
  const draw = seeded(seed, 'life')
  const streams = new Map<string, Seeded>()
  let skew = 0
  let frozenUntil = 0
  let life = null as Life | null
  let buried = null as Life | null
  let isStopping = false
  let comesBackAfter = 0
  let wantsLife = true
  let armed = null as Fault | null
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

  const wallNow = (): number => Math.floor(EPOCH + scheduler.now() + skew)

  const onMoment = (moment: string, of: Life): void => {
    if (armed === null || CRASH_AT[armed.kind] !== moment || of.isDead()) return
    comesBackAfter = armed.millis
    armed = null
    of.die()
  }

  const watched =
    <Err, A>(decide: Decide<Err, A>): Decide<Err, A> =>
    (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      if (E.isRight(decided)) {
        const number = numbers.get(order.placed.orderRef) ?? null
        const { step } = decided.right
        witness.step(order, step)
        for (const { law, sentence } of stepLaws(order, step)) violated(law, number, sentence)
        for (const { event, from, to } of step.journal) {
          story.tell(
            number,
            `${event}: ${from.checkout} ${from.risk} ${from.cancellation} → ${to.checkout} ${to.risk} ${to.cancellation}`,
          )
          if (from.checkout !== to.checkout) story.count('states reached', to.checkout)
          if (from.risk !== to.risk) story.count('risk', to.risk)
          if (from.cancellation !== to.cancellation) story.count('cancellation', to.cancellation)
        }
      }
      return decided
    }

  // What was heard counts as heard once it is settled: over the rest the process has died, or the lease has passed on.
  const heardOf = (
    entry: Parameters<Store['settle']>[0],
    conclusion: Conclusion,
    report: Report | null,
    settling: ReturnType<Store['settle']>,
  ): ReturnType<Store['settle']> => {
    const { orderRef, key } = entry
    const n = attempts.get(key)
    if (report === null || n === undefined) return settling
    return async () => {
      const at = wallNow()
      const noted = [
        witness.note(orderRef, { part: 'heard', at, key, n, status: report.status, body: report.response }, true),
        witness.note(orderRef, { part: 'judged', at, key, n, outcome: outcomeOf(conclusion) }, true),
      ]
      const settled = await settling()
      for (const each of noted) each.isDoubtful = E.isLeft(settled) || settled.right === 'lost'
      return settled
    }
  }

  const store = (own: Store): Store => {
    const planted = plant(own)
    return {
      ...planted,
      place: (made, payload) => {
        const { orderRef, returnUrl } = made.order.placed
        numbers.set(orderRef, Number(new URL(returnUrl).pathname.split('/').at(-1)))
        witness.step(null, made)
        return planted.place(made, payload)
      },
      step: (orderRef, decide) => planted.step(orderRef, watched(decide)),
      settle: (entry, conclusion, decide, report) => {
        story.count('settled', conclusion.type === 'ended' ? conclusion.as : 'again')
        return heardOf(
          entry,
          conclusion,
          report,
          planted.settle(entry, conclusion, decide === null ? null : watched(decide), report),
        )
      },
    }
  }

  const log: Log = (event, fields) => {
    if (event === 'settled') return
    story.tell(null, `log: ${event} ${'key' in fields ? fields.key : ''}`)
    story.count('logged', event)
    const isOurs = ['fault', 'entry_faulted', 'stuck', 'crashed'].includes(event)
    const isStore = ['unavailable', 'unclaimed'].includes(event) && !storeMayFail(weather)
    if ((isOurs || isStore) && life?.isDead() === false && !isStopping)
      violated(
        'no fault of ours',
        null,
        `${event} ${JSON.stringify(fields)} ${'thrown' in fields ? String(fields.thrown) : ''}`,
      )
  }

  const noteAnswer = ({ path, body }: Request, answer: Answered): void => {
    const [, orderRef = '', endpoint] = CHECKOUT.exec(path) ?? []
    if (endpoint === undefined || answer.status !== 200) return
    const at = wallNow()
    const id = String(scheduler.steps())
    if (endpoint === 'wait') witness.note(orderRef, { part: 'poll', at, id, answer })
    else
      witness.note(orderRef, {
        part: 'submission',
        at,
        id,
        body: (body ?? {}) as Readonly<Record<string, unknown>>,
        wrongFields: null,
        answer,
      })
  }

  const network = networkOf({
    scheduler,
    weather,
    story,
    drawOf: (order) => stream(order, 'network'),
    server: () => {
      const serving = life
      if (serving === null || serving.isDead() || isStopping) return null
      return async (request): Promise<Answered | null> => {
        const mayFail = storeMayFail(weather)
        const answering = witness.asked(CHECKOUT.exec(request.path)?.[1] ?? '')
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
        noteAnswer(request, answered)
        for (const sentence of laws.judge(request, answered, mayFail || storeMayFail(weather) || isStopping))
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
    onSent: ({ headers, path, body }) => {
      const key = headers['webhook-id'] ?? ''
      const n = (attempts.get(key) ?? 0) + 1
      attempts.set(key, n)
      const contentType = headers['content-type'] ?? ''
      const lane = key.slice(key.lastIndexOf(':') + 1)
      const event = (
        lane === 'ipn' ? 'ipn' : lane === 'action' ? 'identification_action' : new URLSearchParams(body).get('event')
      ) as EventName | 'ipn'
      witness.note(key.slice(0, key.indexOf(':')), {
        part: 'sent',
        at: wallNow(),
        key,
        event,
        n,
        trigger: 'schedule',
        url: `${URL_OF_MERCHANTS}${path}`,
        contentType,
        body,
        headers,
        signature: sign(SECRET, body),
      })
    },
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

  const during = (
    weatherOf: 'badNetwork' | 'providersFail' | 'slowDisk' | 'fullDisk' | 'failingCommits',
    millis: number,
  ): void => {
    weather[weatherOf] += 1
    scheduler.after(millis, () => {
      weather[weatherOf] -= 1
      if (weatherOf === 'fullDisk' && weather.fullDisk === 0 && life?.database.open === true) freeDisk(life.database)
    })
  }

  const happen = (fault: Fault): void => {
    story.count('faults', fault.kind)
    story.tell(null, `FAULT ${toldFault(fault)}`)
    switch (fault.kind) {
      case 'crash':
        comesBackAfter = fault.millis
        life?.die()
        return
      case 'restart':
        if (life === null || life.isDead() || isStopping) return
        isStopping = true
        comesBackAfter = fault.millis
        void life.stop()
        return
      case 'freeze':
        frozenUntil = scheduler.now() + fault.millis
        return
      case 'slow disk':
        during('slowDisk', fault.millis)
        return
      case 'full disk':
        if (life?.database.open === true) fillDisk(life.database)
        during('fullDisk', fault.millis)
        return
      case 'failing commits':
        during('failingCommits', fault.millis)
        return
      case 'clock jump':
        skew += fault.millis
        return
      case 'bad network':
        during('badNetwork', fault.millis)
        return
      case 'providers fail':
        during('providersFail', fault.millis)
        return
      default:
        armed = fault
    }
  }

  const faults = faultsOf(seed, FAULTS, BUSY_FOR).filter(({ number }) => kept === null || kept.includes(number))
  for (const fault of faults) scheduler.after(fault.at, () => happen(fault))

  // Whoever still waits for somebody when the faults are over is waited for no longer: the operator decides, and the
  // merchant who takes no IPN confirms.
  const everybodyDecides = async (): Promise<void> => {
    await scheduler.sleep(CALM)
    weather.isCalm = true
    armed = null
    story.tell(null, 'CALM: nothing goes wrong any more')
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true
      await scheduler.sleep(DAY)
      for (const [orderRef, number] of numbers) {
        const answered = await network.ask({ order: number, method: 'GET', path: `/api/v1/checkout/${orderRef}/wait` })
        const action = answered?.body.action
        if (action === 'show_on_hold') {
          reviewed.delete(orderRef)
          review(orderRef, number)
        } else if (plans.get(number)?.ipn === 'absent' && action === 'wait_for_confirmation')
          await staff(number).put(orderRef, 'confirmed')
        else if (plans.get(number)?.ipn === 'absent' && action === 'wait_for_on_hold')
          await staff(number).put(orderRef, 'on_hold')
        else continue
        isQuiet = false
      }
    }
  }
  working(everybodyDecides())

  const bury = (dead: Life): void => {
    story.count('faults', 'lives ended')
    image = dead.remains()
    buried = dead
    isStopping = false
    scheduler.after(comesBackAfter, () => {
      wantsLife = true
    })
  }

  const dueOf = ({ database }: Life): { readonly claimed: number; readonly due: number | null } =>
    database
      .prepare<[], { claimed: number; due: number | null }>(
        `select (select count(*) from outbox where state = 'claimed') as claimed,
          (select min(due_at) from outbox where state = 'pending') as due`,
      )
      .get() as { claimed: number; due: number | null }

  let isAtRest = false
  const isLawful = (): boolean => story.violations.length === 0
  while (!isAtRest && isLawful() && scheduler.now() < LASTS_AT_MOST && scheduler.steps() < STEPS_AT_MOST) {
    if (life?.isDead() === true && buried !== life) bury(life)
    if (wantsLife) {
      wantsLife = false
      try {
        life = await beginLife(image, {
          config,
          url: URL_OF_US,
          scheduler,
          weather,
          draw,
          ids,
          realNow: wallNow,
          exchange: merchants.exchange,
          deciders: (own) =>
            troubled(
              {
                scheduler,
                weather,
                story: watching,
                numberOf: (orderRef) => numbers.get(orderRef) ?? null,
                drawOf: (order) => stream(order, 'providers'),
                ledger,
                failed,
              },
              own,
            ),
          store,
          log,
          onMoment,
          frozenFor: () => Math.max(0, frozenUntil - scheduler.now()),
        })
        story.count('faults', 'lives begun')
      } catch (cause) {
        if (!storeMayFail(weather)) violated('the server starts again', null, String(cause))
        scheduler.after(5_000, () => {
          wantsLife = true
        })
      }
    }
    const next = scheduler.next()
    if (next === null) break
    if (life !== null && !life.isDead() && next.turn !== 'other' && life.inFlight() === 0 && life.database.open) {
      const { claimed, due } = dueOf(life)
      const other = scheduler.nextOther()
      const dueIn = due === null ? Number.POSITIVE_INFINITY : due - EPOCH - skew
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
  const left = life?.remains() ?? image
  const misdeeds = isLawful()
    ? accountOf({
        left,
        keyring,
        sent: merchants.sent,
        paid,
        ledger,
        failed,
        story,
        url: URL_OF_US,
        witness,
        at: wallNow(),
      })
    : []
  for (const { law, orderRef, sentence } of misdeeds) violated(law, numbers.get(orderRef) ?? null, sentence)
  life?.die()
  return {
    violations: story.violations,
    digest: story.digest(),
    tally: story.tally(),
    lines: story.lines,
    steps: scheduler.steps(),
    lasted: scheduler.now(),
  }
}
