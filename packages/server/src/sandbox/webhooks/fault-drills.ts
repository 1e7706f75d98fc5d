// The fault drills that sandbox merchants set for their own webhooks. Each drill is a record, so all
// nodes see it. Each faulted attempt is stored too, so two nodes never both use a drill's last
// attempt.
import { createHash, randomUUID } from 'node:crypto'
import type { Timers } from '@plazo/adapters/system'
import type { Refused } from '@plazo/core'
import type { StoredRecord, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as t from 'io-ts'
import type { AttemptFaults } from '../../http/additions.ts'
import type { SandboxParts } from '../watch.ts'
import type { Drill, DrillPayload, Fault } from './protocol.ts'

export type DrilledDelivery = {
  readonly merchantRef: string
  readonly orderRef: string
  /** `ipn`, or the event's name. */
  readonly event: string
  /** The `Webhook-Id`. */
  readonly id: string
}

export type ChosenFault = {
  readonly fault: Fault
  readonly seconds: number
  /** True: the delivery was touched before, and this attempt ends the fault. */
  readonly isSecond: boolean
}

type DrillParts = Pick<SandboxParts, 'records' | 'clock'> & {
  readonly timers: Pick<Timers, 'realNow'>
}

type StoredDrill = Omit<Drill, 'touched' | 'until'> & {
  readonly merchantRef: string
  readonly until: number
  readonly setAt: number
  /**
   * Null until it is cleared or has touched enough. A merchant's last drill stays, because its
   * effects outlast it.
   */
  readonly endedAt: number | null
}

const KIND = 'drill_setting'
/** The kind of a touch, as the former version named it. */
const TOUCH_KIND = 'drill'
const HOUR = 3_600_000
const DAY = 24 * HOUR
const DRILLS_MAX = 20
const TOUCHES_KEPT = 2_000

const SECONDS: Partial<Readonly<Record<Fault, number>>> = { delay: 5, reorder: 10, slow: 10 }

/** An attempt that a drill is about to touch. `count`: of the drill. */
type Touch = {
  readonly drill: string
  readonly count: number | null
  readonly delivery: string
  readonly fault: Fault
}

type StoredTouch = Touch & Pick<StoredRecord, 'id' | 'at'>

export type FaultDrills = ReturnType<typeof createFaultDrills>

export const createFaultDrills = ({ records, clock, timers }: DrillParts) => {
  let drillsByMerchant: ReadonlyMap<string, readonly StoredDrill[]> = new Map()
  const isLive = ({ until, endedAt }: StoredDrill): boolean =>
    endedAt === null && until > timers.realNow()
  // By drill: how many attempts matched it on this node. The seed chooses among them.
  const matched = new Map<string, number>()

  /** Reads what other nodes have set. */
  const catchUp: TE.TaskEither<Unavailable, void> = pipe(
    records.list({ kind: KIND }),
    // Only this file writes these records.
    TE.map((stored) => stored.map(({ value }) => value as StoredDrill)),
    TE.chainIOK((drills) => () => {
      drillsByMerchant = Map.groupBy(
        drills.toSorted((one, other) => one.setAt - other.setAt),
        ({ merchantRef }) => merchantRef,
      )
    }),
  )

  const allOf = (merchantRef: string): readonly StoredDrill[] =>
    drillsByMerchant.get(merchantRef) ?? []

  const live = (merchantRef: string): readonly StoredDrill[] => allOf(merchantRef).filter(isLive)

  const touches = (merchantRef: string): TE.TaskEither<Unavailable, readonly StoredTouch[]> =>
    pipe(
      records.list({ kind: TOUCH_KIND, merchantRef, limit: TOUCHES_KEPT }),
      TE.map((stored) => stored.map(({ id, at, value }) => ({ ...(value as Touch), id, at }))),
      TE.map(withoutTooMany),
    )

  const list = (merchantRef: string): TE.TaskEither<Unavailable, readonly Drill[]> =>
    pipe(
      catchUp,
      TE.chain(() => touches(merchantRef)),
      TE.map((all) =>
        live(merchantRef).map((drill) => toDrill(drill, deliveriesOf(drill, all).size)),
      ),
    )

  const save = (drill: StoredDrill): TE.TaskEither<Unavailable, unknown> => {
    const { id: key, merchantRef, setAt: at } = drill
    return records.put({ kind: KIND, key, orderRef: null, merchantRef, at, value: drill })
  }

  const end = (drills: readonly StoredDrill[]): TE.TaskEither<Unavailable, unknown> =>
    TE.sequenceSeqArray(drills.map((drill) => save({ ...drill, endedAt: timers.realNow() })))

  const removeAllButLastEnded = (merchantRef: string): TE.TaskEither<Unavailable, unknown> => {
    const ended = allOf(merchantRef).filter((drill) => !isLive(drill))
    const older = ended.toSorted((one, other) => endOf(one) - endOf(other)).slice(0, -1)
    return TE.sequenceSeqArray(older.map(({ id }) => records.remove(KIND, id)))
  }

  /** Touches the delivery, unless the drill has touched enough others. */
  const claim = async (drill: StoredDrill, delivery: string): Promise<ChosenFault | null> => {
    const { id, merchantRef, fault, seconds, count } = drill
    const number = (matched.get(id) ?? 0) + 1
    matched.set(id, number)
    if (!isDrawn(drill, number)) return null
    const before = await touches(merchantRef)()
    if (E.isLeft(before)) return null
    const deliveries = deliveriesOf(drill, before.right)
    const isSecond = endsAtSecond(drill) && deliveries.get(delivery) === 1
    if (!isSecond && deliveries.size >= (count ?? Number.POSITIVE_INFINITY)) return null
    const value: Touch = { drill: id, count, delivery, fault }
    const touch = { kind: TOUCH_KIND, orderRef: null, merchantRef, at: clock.now(), value }
    const added = await records.add(touch, TOUCHES_KEPT)()
    const after = await touches(merchantRef)()
    // Another node may have touched the last one at the same time.
    if (E.isLeft(added) || E.isLeft(after) || !after.right.some(({ id }) => id === added.right))
      return null
    if (isUsedUp(drill, after.right)) {
      await end([drill])()
      await catchUp()
    }
    return { fault, seconds, isSecond }
  }

  return {
    /** As this node knows it: at most a second old. */
    isSet: (merchantRef: string): boolean => live(merchantRef).length > 0,
    /**
     * True if a drill is set or ended within the last hour, as this node knows it: the merchant may
     * be slow because of it.
     */
    explainsSlowness: (merchantRef: string): boolean =>
      allOf(merchantRef).some((drill) => endOf(drill) + HOUR > timers.realNow()),
    list,
    /** The drills that this node knows, without a count of what each one touched. */
    cached: (merchantRef: string): readonly Drill[] =>
      live(merchantRef).map((drill) => toDrill(drill, 0)),
    /** Which attempts of the merchant's deliveries a drill touched. */
    attemptFaults: (merchantRef: string): TE.TaskEither<Unavailable, AttemptFaults> =>
      pipe(
        touches(merchantRef),
        TE.map((all) => {
          const byDelivery = Map.groupBy(all, ({ delivery }) => delivery)
          return (deliveryId, attempts) => {
            const faults = new Map<number, Fault>()
            for (const { fault, at } of byDelivery.get(deliveryId) ?? []) {
              const attempt = attempts.findLast(({ startedAt }) => startedAt <= at)
              if (attempt !== undefined) faults.set(attempt.n, fault)
            }
            return faults
          }
        }),
      ),
    set: (merchantRef: string, payload: t.TypeOf<typeof DrillPayload>) =>
      pipe(
        catchUp,
        TE.chainW(() => removeAllButLastEnded(merchantRef)),
        TE.filterOrElseW(
          () => live(merchantRef).length < DRILLS_MAX,
          (): Refused => ({
            _tag: 'Refused',
            sentences: [`At most ${DRILLS_MAX} drills can be set. Clear one first.`],
          }),
        ),
        TE.chainW(() => save(newDrill(merchantRef, payload, timers.realNow()))),
        TE.chainW(() => list(merchantRef)),
      ),
    /** `id` null: all of the merchant. */
    clear: (merchantRef: string, id: string | null) =>
      pipe(
        catchUp,
        TE.chain(() => end(live(merchantRef).filter((drill) => id === null || drill.id === id))),
        TE.chain(() => list(merchantRef)),
      ),
    /**
     * The fault for an attempt that is about to be made, which counts as touched; null if there is
     * none.
     */
    choose: async (delivery: DrilledDelivery): Promise<ChosenFault | null> => {
      for (const drill of live(delivery.merchantRef)) {
        const { event, order_ref } = drill
        const isMatch =
          [null, delivery.event].includes(event) && [null, delivery.orderRef].includes(order_ref)
        const chosen = isMatch ? await claim(drill, delivery.id) : null
        if (chosen !== null) return chosen
      }
      return null
    },
    catchUp,
  }
}

const endOf = ({ endedAt, until }: StoredDrill): number => endedAt ?? until

const newDrill = (
  merchantRef: string,
  payload: t.TypeOf<typeof DrillPayload>,
  now: number,
): StoredDrill => {
  const { fault, event, order_ref, count, share, seed, seconds, until } = payload
  const id = randomUUID()
  return {
    id,
    merchantRef,
    fault,
    event: event ?? null,
    order_ref: order_ref?.toLowerCase() ?? null,
    count: share == null ? (count ?? 1) : null,
    share: share ?? null,
    seed: share == null ? null : (seed ?? id),
    seconds: seconds ?? SECONDS[fault] ?? 0,
    until: Math.min(until ?? now + HOUR, now + DAY),
    setAt: now,
    endedAt: null,
  }
}

const toDrill = (
  { merchantRef, setAt, endedAt, until, ...drill }: StoredDrill,
  touched: number,
): Drill => ({
  ...drill,
  touched,
  until: new Date(until).toISOString(),
})

/** The deliveries that a drill has touched, in their order, and how often. */
const deliveriesOf = (
  { id }: StoredDrill,
  touches: readonly Touch[],
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { drill, delivery } of touches)
    if (drill === id) counts.set(delivery, (counts.get(delivery) ?? 0) + 1)
  return counts
}

/**
 * Two nodes may have touched a drill's last delivery at the same time: the earlier record counts.
 */
const withoutTooMany = <A extends Touch>(touches: readonly A[]): readonly A[] => {
  const deliveriesByDrill = new Map<string, Set<string>>()
  return touches.filter(({ drill, count, delivery }) => {
    const deliveries = deliveriesByDrill.get(drill) ?? new Set()
    deliveriesByDrill.set(drill, deliveries)
    if (deliveries.size < (count ?? Number.POSITIVE_INFINITY)) deliveries.add(delivery)
    return deliveries.has(delivery)
  })
}

/** True: a delivery fails once, and its next attempt ends the fault. */
const endsAtSecond = ({ fault, count }: StoredDrill): boolean =>
  fault === 'error_then_ok' && count !== null

const isUsedUp = (drill: StoredDrill, touches: readonly Touch[]): boolean => {
  const attempts = endsAtSecond(drill) ? 2 : 1
  const ended = [...deliveriesOf(drill, touches).values()].filter((count) => count >= attempts)
  return drill.count !== null && ended.length >= drill.count
}

/** Draws by a hash of the seed, so that a seed always touches the same attempts. */
const isDrawn = ({ seed, share }: StoredDrill, number: number): boolean =>
  share === null ||
  createHash('sha256').update(`${seed} ${number}`).digest().readUInt32BE() / 2 ** 32 < share
