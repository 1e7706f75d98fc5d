import type { FullStore } from '@plazo/core'
import type { Log } from '@plazo/server'
import { termsAt } from '../harness/ledger/replay.ts'
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts'
import { type Answered, walk } from '../harness/shopper.ts'
import { answerLaws } from './answer-laws.ts'
import { drainOrders } from './drain.ts'
import { createEventLog, type EventLine, type Tally, type Violation } from './event-log.ts'
import { faultsOf, newFaultLevels, outlivesCodes, storeMayFail } from './faults.ts'
import { config, EPOCH, firstImage, idsOf, keyring, URL_OF_MERCHANTS, URL_OF_US } from './fixtures.ts'
import { merchantsOf } from './merchants.ts'
import { networkOf } from './network.ts'
import { observedStore } from './observed-store.ts'
import { createOperators } from './operators.ts'
import { DAY, drawnHabits, HOUR, type Plan, planOf, streamOf } from './order-plan.ts'
import { createProcessLifecycle } from './process-lifecycle.ts'
import { type Ledger, unreliableProviders } from './providers.ts'
import { reconcileWorld } from './reconcile.ts'
import { scheduler as newScheduler } from './scheduler.ts'
import { startServerProcess } from './server-process.ts'
import { createTraceCollector } from './trace-collector.ts'

export type WorldOptions = {
  readonly seed: number
  /** The numbers of the orders to place. */
  readonly orders: readonly number[]
  /** The numbers of the faults to apply; null applies all. */
  readonly faults: readonly number[] | null
  /** Wraps the store, to plant a bug. */
  readonly store?: (own: FullStore) => FullStore
}

export type Outcome = {
  readonly violations: readonly Violation[]
  readonly digest: string
  readonly tally: Tally
  readonly lines: readonly EventLine[]
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
  const eventLog = createEventLog(scheduler.now)
  const faultLevels = newFaultLevels()
  const plans = new Map(orders.map((number) => [number, planOf(seed, number, BUSY_FOR)] as const))
  const numbers = new Map<string, number>()
  const paid: { readonly order: number; readonly orderRef: string; readonly token: string }[] = []
  /** Orders that a 204 has named: the server must never report these as unknown. */
  const named = new Set<string>()
  const reviewed = new Set<string>()
  const finished = new Set<string>()
  const ledger: Ledger = new Map()
  const asked = new Set<string>()
  const traceCollector = createTraceCollector(termsAt(URL_OF_US), eventLog)
  const ids = idsOf(seededRandom(seed, 'ids'))
  const draw = seededRandom(seed, 'life')
  const streams = new Map<string, SeededRandom>()
  let workCount = 0

  const stream = (order: number, use: string): SeededRandom => {
    const name = `${order} ${use}`
    const known = streams.get(name) ?? streamOf(seed, order, use)
    streams.set(name, known)
    return known
  }
  const broken = new Set<string>()
  const reportViolation = (law: string, order: number | null, sentence: string): void => {
    const name = `${law} ${order}`
    if (broken.has(name)) return
    broken.add(name)
    eventLog.log(order, `VIOLATION of ${law}: ${sentence}`)
    eventLog.reportViolation(law, order, sentence)
  }
  const watchedLog = { ...eventLog, reportViolation }

  const lifecycle = createProcessLifecycle({
    scheduler,
    faultLevels,
    eventLog: watchedLog,
    image: await firstImage(),
    startProcess: (image) =>
      startServerProcess(image, {
        config,
        url: URL_OF_US,
        scheduler,
        faultLevels,
        draw,
        ids,
        realNow: wallNow,
        exchange: merchants.exchange,
        providers: (own) => unreliableProviders(providers, own),
        store,
        log,
        onPoint: lifecycle.onPoint,
        frozenFor: lifecycle.frozenFor,
      }),
  })

  const wallNow = (): number => Math.floor(EPOCH + scheduler.now() + lifecycle.skew())

  const providers = {
    scheduler,
    faultLevels,
    eventLog: watchedLog,
    numberOf: (orderRef: string) => numbers.get(orderRef) ?? null,
    drawOf: (order: number) => stream(order, 'providers'),
    ledger,
    asked,
  }

  const store = observedStore({ eventLog, traceCollector, numbers, reportViolation, wallNow, plant })

  const log: Log = (event, fields) => {
    if (event === 'settled') return
    eventLog.log(null, `log: ${event} ${'key' in fields ? fields.key : ''}`)
    eventLog.count('logged', event)
    const isOurs = ['fault', 'entry_faulted', 'stuck', 'crashed'].includes(event)
    const isStore = event === 'unavailable' && !storeMayFail(faultLevels)
    if ((isOurs || isStore) && lifecycle.isServing())
      reportViolation(
        'no fault of ours',
        null,
        `${event} ${JSON.stringify(fields)} ${'thrown' in fields ? String(fields.thrown) : ''}`,
      )
  }

  const network = networkOf({
    scheduler,
    faultLevels,
    eventLog,
    drawOf: (order) => stream(order, 'network'),
    server: () => {
      const serving = lifecycle.current()
      if (serving === null || !lifecycle.isServing()) return null
      return async (request): Promise<Answered | null> => {
        const mayFail = storeMayFail(faultLevels)
        const answering = traceCollector.asked(request)
        const askedAt = wallNow()
        const answered = await serving.serve(request)
        answering()
        if (answered === null) return null
        eventLog.count('answers', String(answered.status))
        eventLog.log(
          request.order,
          `${request.method} ${request.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '…')} → ${answered.status} ${String(answered.body.action ?? '')}`,
        )
        const isUnknown = answered.status === 404 && ![...named].some((orderRef) => request.path.includes(orderRef))
        if (isUnknown) return answered
        traceCollector.answered(request, answered, askedAt, wallNow(), scheduler.steps())
        for (const sentence of answerLaws(
          request,
          answered,
          mayFail || storeMayFail(faultLevels) || lifecycle.isStopping(),
        ))
          reportViolation('answers keep to their tables', request.order, sentence)
        return answered
      }
    },
  })

  const operators = (number: number) =>
    createOperators({ scheduler, network, eventLog, plan: plans.get(number) as Plan, draw: stream(number, 'staff') })

  const merchants = merchantsOf({
    scheduler,
    faultLevels,
    eventLog: watchedLog,
    network,
    onSent: (request) => traceCollector.sent(request, wallNow()),
    planOf: (order) => plans.get(order),
    drawOf: (order) => stream(order, 'merchant'),
    put: (order, orderRef, state) => operators(order).put(orderRef, state),
  })

  const trackWork = (work: Promise<unknown>): void => {
    workCount += 1
    void work
      .catch((cause: unknown) =>
        reportViolation('the simulation itself', null, cause instanceof Error ? (cause.stack ?? '') : String(cause)),
      )
      .finally(() => {
        workCount -= 1
      })
  }

  const review = (orderRef: string, number: number): void => {
    if (reviewed.has(orderRef)) return
    reviewed.add(orderRef)
    trackWork(operators(number).review(orderRef))
  }

  const reviewAgain = (orderRef: string, number: number): void => {
    reviewed.delete(orderRef)
    review(orderRef, number)
  }

  const shop = async (plan: Plan): Promise<void> => {
    const { number } = plan
    const habits = drawnHabits({
      plan,
      scheduler,
      draw: stream(number, 'shopper'),
      onWhim: (whim) => eventLog.count('shoppers', whim),
      onPlaced: (orderRef) => {
        named.add(orderRef)
        eventLog.count('orders', 'placed')
      },
      onPaid: (orderRef, token) => void paid.push({ order: number, orderRef, token }),
      leavesAt: (action, orderRef) => {
        if (action === 'show_on_hold') review(orderRef, number)
        if (action === 'finish' && !finished.has(orderRef)) {
          finished.add(orderRef)
          trackWork(operators(number).afterwards(orderRef))
        }
        return ['reject', 'show_error', 'show_conflict', 'finish', 'show_on_hold'].includes(action)
      },
    })
    await scheduler.sleep(plan.placedAfter)
    const how = await walk(plan, (request) => network.ask({ order: number, ...request }), habits, URL_OF_MERCHANTS)
    if (how !== 'ended') eventLog.count('shoppers', how)
  }
  for (const plan of plans.values()) trackWork(shop(plan))

  const faults = faultsOf(seed, FAULTS, BUSY_FOR).filter(({ number }) => kept === null || kept.includes(number))
  for (const fault of faults) scheduler.after(fault.at, () => lifecycle.applyFault(fault))

  const endFaults = (): void => {
    faultLevels.isCalm = true
    lifecycle.disarm()
    eventLog.log(null, 'CALM: nothing goes wrong any more')
  }
  trackWork(drainOrders({ scheduler, network, numbers, plans, operators, review: reviewAgain, endFaults }))

  let isAtRest = false
  const isLawful = (): boolean => eventLog.violations.length === 0
  while (!isAtRest && isLawful() && scheduler.now() < LASTS_AT_MOST && scheduler.steps() < STEPS_AT_MOST) {
    await lifecycle.advance()
    const current = lifecycle.current()
    const next = scheduler.next()
    if (next === null) break
    // A stopping server waits for the same timers as one that polls. If they were postponed, it would never end.
    const isIdle = current !== null && !current.isDead() && !lifecycle.isStopping() && current.inFlight() === 0
    if (isIdle && next.turn !== 'other' && current.database.open) {
      const { claimed, due } = current.due()
      const other = scheduler.nextOther()
      const dueIn = due === null ? Number.POSITIVE_INFINITY : due - EPOCH - lifecycle.skew()
      isAtRest = claimed === 0 && due === null && other === Number.POSITIVE_INFINITY && workCount === 0
      const until = Math.min(dueIn, other)
      if (!isAtRest && claimed === 0 && next.turn === 'poll' && until < Number.POSITIVE_INFINITY && until > next.due) {
        scheduler.putOff(until)
        continue
      }
    }
    await scheduler.step()
  }

  if (!isAtRest && isLawful())
    reportViolation(
      'everything comes to rest',
      null,
      `After ${scheduler.now() / DAY} days and ${scheduler.steps()} steps, ${workCount} are still at work.`,
    )
  const left = lifecycle.left()
  const traceFaults = isLawful()
    ? reconcileWorld({
        left,
        keyring,
        sent: merchants.sent,
        paid,
        ledger,
        asked,
        eventLog,
        url: URL_OF_US,
        traceCollector,
        at: wallNow(),
        wasSetBack: lifecycle.wasSetBack(),
        outlivesCodes: faults.some(outlivesCodes),
      })
    : []
  for (const { law, orderRef, sentence } of traceFaults) reportViolation(law, numbers.get(orderRef) ?? null, sentence)
  return {
    violations: eventLog.violations,
    digest: eventLog.digest(),
    tally: eventLog.tally(),
    lines: eventLog.lines,
    steps: scheduler.steps(),
    lasted: scheduler.now(),
  }
}
