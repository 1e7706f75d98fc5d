// The Store in memory: for embedding, tests and trying things out. The same promises, but for a crash's.

import {
  type AskedTrigger,
  type ClaimRequest,
  type Conclusion,
  type Decide,
  type Ending,
  type Entry,
  type EntryUnknown,
  endedByItsStep,
  heldReference,
  type JournalLine,
  messageOf,
  type Order,
  type OrderUnknown,
  outcomeOf,
  type ReferenceTaken,
  type ReleasedAs,
  type Report,
  type Settled,
  type Step,
  type Store,
  type Taker,
  type Unavailable,
  unavailable,
  type WorkClass,
  waitingOf,
  workClass,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryDeliveries } from './deliveries.ts'
import {
  beginAttempt,
  completeAttempt,
  type DoEffect,
  deliveryOf,
  isUnfinished,
  type KeptEntry,
  unclaim,
} from './kept-entry.ts'
import { memoryRetention } from './retention.ts'

type Kept = { order: Order; readonly payload: string; readonly journal: JournalLine[]; readonly entries: KeptEntry[] }

const unknown: OrderUnknown = { _tag: 'OrderUnknown' }

export type MemoryStoreOptions = {
  /** Real time, for leases alone. */
  readonly realNow: () => number
}

export const memoryStore = ({ realNow }: MemoryStoreOptions): Store => {
  const orders = new Map<string, Kept>()
  // What may be due or in flight, or is stuck, in the order it came.
  const live = new Set<KeptEntry>()
  let claims = 0
  let added = 0
  let taker: Taker | null = null
  // What is being written makes: handed over, and what a claim may find.
  let handed = new Map<KeptEntry, Entry>()

  const fresh = (kept: Kept, effect: DoEffect, own: Pick<KeptEntry, 'state' | 'madeAt' | 'resendOf'>): KeptEntry => ({
    id: ++added,
    effect,
    orderRef: kept.order.placed.orderRef,
    merchantRef: kept.order.placed.merchant.ref,
    kind: workClass(effect.work.kind),
    made: [],
    cause: null,
    dueAt: effect.dueAt,
    attempts: 0,
    attempt: 0,
    firstAt: null,
    token: null,
    leaseUntil: 0,
    isWithdrawn: false,
    message: null,
    ...own,
  })

  const advance = (kept: Kept, lane: string): void => {
    const inLane = kept.entries.filter((entry) => entry.effect.lane === lane && isUnfinished(entry))
    const [first] = inLane
    if (first?.state === 'queued') first.state = 'pending'
  }

  const finish = (kept: Kept, entry: KeptEntry, as: Ending | 'stuck'): void => {
    entry.state = as
    entry.token = null
    if (as !== 'stuck') live.delete(entry)
    if (entry.kind === 'work' && as !== 'stuck') kept.entries.splice(kept.entries.indexOf(entry), 1)
    advance(kept, entry.effect.lane)
  }

  const drop = (kept: Kept, entry: KeptEntry): void => {
    live.delete(entry)
    kept.entries.splice(kept.entries.indexOf(entry), 1)
  }

  const park = (kept: Kept, entry: KeptEntry, message: string): void => {
    const delivery = deliveryOf(entry)
    if (delivery === entry) finish(kept, entry, 'stuck')
    else {
      drop(kept, entry)
      if (isUnfinished(delivery)) return
      delivery.state = 'stuck'
      live.add(delivery)
    }
    delivery.message = message
  }

  const sendBeside = (delivery: KeptEntry, cause: AskedTrigger, at: number): void => {
    const kept = orders.get(delivery.orderRef)
    if (kept === undefined || kept.entries.some(({ resendOf }) => resendOf === delivery)) return
    const effect = { ...delivery.effect, lane: `beside ${delivery.effect.lane}`, dueAt: at, until: null, behind: null }
    const entry = fresh(kept, effect, { state: 'pending', madeAt: at, resendOf: delivery })
    kept.entries.push(Object.assign(entry, { cause, firstAt: delivery.firstAt }))
    live.add(entry)
  }

  const add = (kept: Kept, effect: DoEffect): void => {
    const isBehindAnother = kept.entries.some((entry) => entry.effect.lane === effect.lane && isUnfinished(entry))
    const state = isBehindAnother ? 'queued' : 'pending'
    const entry = fresh(kept, effect, { state, madeAt: kept.order.context.updatedAt, resendOf: null })
    const request = state === 'pending' ? offered(entry) : null
    kept.entries.push(entry)
    live.add(entry)
    if (request !== null) handed.set(entry, claimEntry(entry, request))
  }

  // As a claim right after would take it.
  const offered = (entry: KeptEntry): Pick<ClaimRequest, 'at' | 'lease'> | null => {
    const request = entry.kind === 'work' && taker !== null ? taker.request(handed.size) : null
    return request === null || entry.dueAt > request.at || isBlocked(entry) ? null : request
  }

  const withdraw = (kept: Kept, lane: string): void => {
    for (const entry of kept.entries.filter((each) => each.effect.lane === lane && isUnfinished(each)))
      if (entry.state === 'claimed' && !handed.delete(entry)) entry.isWithdrawn = true
      else finish(kept, entry, 'stopped')
  }

  const hasten = (kept: Kept, lane: string, at: number): void => {
    for (const entry of kept.entries)
      if (entry.effect.lane === lane && entry.state === 'pending') entry.dueAt = Math.min(entry.dueAt, at)
  }

  const write = (kept: Kept, { order, journal, effects }: Step): void => {
    if (journal.length === 0) return
    kept.order = order
    kept.journal.push(...journal)
    for (const effect of effects)
      if (effect.type === 'do') add(kept, effect)
      else if (effect.type === 'withdraw') withdraw(kept, effect.lane)
      else hasten(kept, effect.lane, order.context.updatedAt)
  }

  const holderOf = (merchantRef: string, reference: string): Kept | undefined =>
    [...orders.values()].find(
      ({ order }) => order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
    )

  const isTaken = ({ order, reference }: Step): boolean => {
    const other = reference === null ? undefined : holderOf(order.placed.merchant.ref, reference)
    return other !== undefined && other.order.placed.orderRef !== order.placed.orderRef
  }

  const decideOn = <E, A>(
    { order }: Kept,
    decide: Decide<E, A>,
  ): E.Either<E | ReferenceTaken, { readonly step: Step; readonly answer: A }> => {
    const first = decide(order, false)
    if (E.isLeft(first) || !isTaken(first.right.step)) return first
    const second = decide(order, true)
    if (E.isLeft(second) || !isTaken(second.right.step)) return second
    return E.left({ _tag: 'ReferenceTaken', reference: second.right.step.reference ?? '' })
  }

  // A decision that throws fails its own caller alone, and nothing has been written by then.
  const tried = <E, A>(run: () => E.Either<E, A>): E.Either<E | Unavailable, A> => {
    try {
      return run()
    } catch (cause) {
      return unavailable(cause)
    }
  }

  const trying =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () =>
      tried(run)

  // Whoever takes is told before the caller is answered.
  const writing =
    <E, A>(run: () => E.Either<E, A>): TE.TaskEither<E | Unavailable, A> =>
    async () => {
      handed = new Map()
      const written = tried(run)
      if (E.isRight(written)) taker?.take([...handed.values()], nextDueOf('work', 'event', 'ipn'))
      return written
    }

  // Where nobody waits for the answer, a decision that throws is a fault to park, not to meet again.
  const faultless = <E, A>(decided: () => E.Either<E, A>): E.Either<E | { readonly message: string }, A> => {
    try {
      return decided()
    } catch (cause) {
      return E.left({ message: messageOf(cause) })
    }
  }

  const withOrder = <E, A>(orderRef: string, run: (kept: Kept) => E.Either<E, A>, doing = trying) =>
    doing((): E.Either<E | OrderUnknown, A> => {
      const kept = orders.get(orderRef)
      return kept === undefined ? E.left(unknown) : run(kept)
    })

  const giveBack = (entry: KeptEntry, as: ReleasedAs): void => {
    const kept = orders.get(entry.orderRef)
    if (as === 'begun') completeAttempt(entry, 'lost', null)
    else unclaim(entry)
    if (entry.isWithdrawn && kept !== undefined) finish(kept, entry, 'stopped')
    else Object.assign(entry, { state: 'pending', token: null })
  }

  const passOnOverdueClaims = (): void => {
    for (const entry of live) if (entry.state === 'claimed' && entry.leaseUntil <= realNow()) giveBack(entry, 'begun')
  }

  // An entry and one that stands behind its lane are never in flight together: the earlier one goes first.
  const isBlocked = ({ effect, orderRef, dueAt }: KeptEntry): boolean =>
    (orders.get(orderRef)?.entries ?? []).some(
      (other) =>
        (other.state === 'claimed' && (other.effect.lane === effect.behind || other.effect.behind === effect.lane)) ||
        (other.state === 'pending' && other.effect.behind === effect.lane && other.dueAt <= dueAt),
    )

  const claimEntry = (entry: KeptEntry, { at, lease }: Pick<ClaimRequest, 'at' | 'lease'>): Entry => {
    entry.state = 'claimed'
    entry.token = `${claims++}`
    entry.leaseUntil = realNow() + lease
    entry.firstAt ??= at
    const { effect, orderRef, merchantRef, firstAt, token, kind, cause, resendOf } = entry
    const delivery = deliveryOf(entry)
    delivery.attempts += 1
    entry.attempt = delivery.attempts
    if (resendOf === null) entry.cause = null
    if (kind !== 'work') beginAttempt(entry, cause ?? 'schedule', at)
    const { key, work, until } = effect
    const { attempts: attempt, effect: own } = delivery
    const isResend = resendOf !== null
    return { key, orderRef, merchantRef, lane: own.lane, work, until, attempt, isResend, firstAt, startedAt: at, token }
  }

  // Rank one of every merchant before rank two of any; never more of one merchant than may be in flight.
  const deliveriesInTurn = (due: readonly KeptEntry[], { perMerchant, room }: ClaimRequest): readonly KeptEntry[] => {
    const ranks = new Map<string, number>()
    for (const { state, kind, merchantRef } of live)
      if (state === 'claimed') ranks.set(`${kind} ${merchantRef}`, (ranks.get(`${kind} ${merchantRef}`) ?? 0) + 1)
    const ranked = due.flatMap((entry) => {
      if (entry.kind === 'work') return []
      const rank = (ranks.get(`${entry.kind} ${entry.merchantRef}`) ?? 0) + 1
      ranks.set(`${entry.kind} ${entry.merchantRef}`, rank)
      return rank <= perMerchant ? [{ entry, rank }] : []
    })
    return ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, room.deliveries)
      .map(({ entry }) => entry)
  }

  const heldBy = (orderRef: string, token: string): readonly [Kept, KeptEntry] | null => {
    const kept = orders.get(orderRef)
    const entry = kept?.entries.find((each) => each.state === 'claimed' && each.token === token)
    return kept === undefined || entry === undefined ? null : [kept, entry]
  }

  const concludeBeside = (kept: Kept, entry: KeptEntry, delivery: KeptEntry, conclusion: Conclusion): void => {
    drop(kept, entry)
    // What has come back into its lane meanwhile ends there.
    if (isUnfinished(delivery) || delivery.state === 'delivered') return
    if (conclusion.type !== 'ended' || outcomeOf(conclusion) === 'error') return
    delivery.state = conclusion.as
    live.delete(delivery)
  }

  const conclude = (
    kept: Kept,
    entry: KeptEntry,
    conclusion: Conclusion,
    report: Report | null,
    step: Step | null,
  ): void => {
    completeAttempt(entry, outcomeOf(conclusion), report)
    if (entry.resendOf !== null) concludeBeside(kept, entry, entry.resendOf, conclusion)
    else if (entry.isWithdrawn) finish(kept, entry, 'stopped')
    else if (conclusion.type === 'ended') finish(kept, entry, conclusion.as)
    else if (step?.effects.some(({ type, lane }) => type === 'withdraw' && lane === entry.effect.lane))
      finish(kept, entry, endedByItsStep(report))
    // Asked for while it was in flight: at once.
    else {
      const dueAt = entry.cause === null ? conclusion.dueAt : entry.dueAt
      Object.assign(entry, { state: 'pending', token: null, dueAt })
    }
  }

  const nextDueOf = (...kinds: readonly WorkClass[]): number | null => {
    const pending = [...live].filter(({ state, kind }) => state === 'pending' && kinds.includes(kind))
    return pending.length === 0 ? null : Math.min(...pending.map(({ dueAt }) => dueAt))
  }

  return {
    place: (step, payload) =>
      writing((): E.Either<ReferenceTaken, void> => {
        if (orders.has(step.order.placed.orderRef)) throw new Error('The order is placed already.')
        if (isTaken(step)) return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
        const kept: Kept = { order: step.order, payload, journal: [], entries: [] }
        orders.set(step.order.placed.orderRef, kept)
        write(kept, step)
        return E.right(undefined)
      }),
    read: (orderRef) => withOrder(orderRef, ({ order }) => E.right(order)),
    journal: (orderRef) => withOrder(orderRef, ({ journal }) => E.right([...journal])),
    findHolder: (merchantRef, orderRef1) =>
      trying(() => {
        const kept = holderOf(merchantRef, orderRef1)
        return kept === undefined ? E.left(unknown) : E.right(kept.order)
      }),
    step: <E, A>(orderRef: string, decide: Decide<E, A>) =>
      withOrder<E | ReferenceTaken, A>(
        orderRef,
        (kept) => {
          const decided = decideOn(kept, decide)
          if (E.isLeft(decided)) return decided
          write(kept, decided.right.step)
          return E.right(decided.right.answer)
        },
        writing,
      ),
    claim: (requested) =>
      trying(() => {
        const request = requested()
        passOnOverdueClaims()
        const due = (): readonly KeptEntry[] =>
          [...live]
            .filter((entry) => entry.state === 'pending' && entry.dueAt <= request.at && !isBlocked(entry))
            .sort((a, b) => a.dueAt - b.dueAt)
        const claimed = (entries: readonly KeptEntry[]) => entries.map((entry) => claimEntry(entry, request))
        // Deliveries first: what stands behind one of them then sees it in flight.
        const deliveries = claimed(deliveriesInTurn(due(), request))
        const work = claimed(
          due()
            .filter(({ kind }) => kind === 'work')
            .slice(0, request.room.work),
        )
        return E.right([...work, ...deliveries])
      }),
    handOver: (next) => {
      taker = next
    },
    settle: ({ orderRef, token }, conclusion, decide, report) =>
      writing((): E.Either<never, Settled> => {
        const held = heldBy(orderRef, token)
        if (held === null) return E.right('lost')
        const [kept, entry] = held
        const decided = decide === null ? null : faultless(() => decideOn(kept, decide))
        if (decided !== null && E.isLeft(decided)) {
          completeAttempt(entry, outcomeOf(conclusion), report)
          park(kept, entry, 'message' in decided.left ? decided.left.message : decided.left._tag)
          return E.right('stuck')
        }
        conclude(kept, entry, conclusion, report, decided?.right.step ?? null)
        if (decided !== null) write(kept, decided.right.step)
        return E.right('settled')
      }),
    release: (claimed, as) =>
      writing(() => {
        for (const { orderRef, token } of claimed) {
          const held = heldBy(orderRef, token)
          if (held !== null) giveBack(held[1], as)
        }
        return E.right(undefined)
      }),
    nextDueAt: () => trying(() => E.right(nextDueOf('work', 'event', 'ipn'))),
    backlog: () =>
      trying(() =>
        E.right({
          nextDueAt: { work: nextDueOf('work'), event: nextDueOf('event'), ipn: nextDueOf('ipn') },
          stuck: [...live].filter(({ state }) => state === 'stuck').length,
        }),
      ),
    stuck: () =>
      trying(() =>
        E.right(
          [...live]
            .filter(({ state }) => state === 'stuck')
            .sort((a, b) => a.id - b.id)
            .map(({ effect, orderRef, message }) => ({ key: effect.key, orderRef, message: message ?? '' })),
        ),
      ),
    unpark: (key, at) =>
      writing((): E.Either<EntryUnknown, void> => {
        const entry = [...live].find(({ state, effect }) => state === 'stuck' && effect.key === key)
        const kept = entry && orders.get(entry.orderRef)
        if (entry === undefined || kept === undefined) return E.left({ _tag: 'EntryUnknown' })
        const isLaneFree = !kept.entries.some((other) => other.effect.lane === entry.effect.lane && isUnfinished(other))
        Object.assign(entry, { state: isLaneFree ? 'pending' : 'queued', dueAt: at, message: null })
        return E.right(undefined)
      }),
    orders: {
      waiting: (why, after, limit) =>
        trying(() => {
          const all = [...orders.values()].map(({ order, journal }, index) => ({ number: index + 1, order, journal }))
          const page = all
            .filter(({ number, order }) => number > (after ?? 0) && waitingOf(order.state) === why)
            .slice(0, limit)
          return E.right({
            orders: page.map(({ order, journal }) => ({
              order,
              since: journal.findLast(({ from, to }) => waitingOf(from) !== why && waitingOf(to) === why)?.at ?? 0,
            })),
            next: page.length < limit ? null : (page.at(-1)?.number ?? null),
          })
        }),
      newest: (after, limit) =>
        trying(() => {
          // In the order they were placed: a page ends before the one it is named by.
          const placed = [...orders.values()].slice(0, after ?? undefined)
          const next = placed.length - limit
          return E.right({
            orders: placed
              .slice(-limit)
              .reverse()
              .map(({ order }) => order),
            next: next > 0 ? next : null,
          })
        }),
    },
    retention: memoryRetention({
      orders: () => [...orders.values()],
      drop: (entry) => {
        const kept = orders.get(entry.orderRef)
        if (kept !== undefined) drop(kept, entry)
      },
      trying,
    }),
    deliveries: memoryDeliveries({
      entries: () => [...orders.values()].flatMap(({ entries }) => entries).sort((a, b) => a.id - b.id),
      hasten: ({ orderRef, effect }, at) => {
        const kept = orders.get(orderRef)
        if (kept !== undefined) hasten(kept, effect.lane, at)
      },
      sendBeside,
      trying,
      writing,
    }),
  }
}
