// The job queue of the memory store. Jobs wait in lanes, are claimed with a lease and a token, and finish or are retried.
// Work that is due at the commit that creates it may be handed over to the taker.
import {
  type AskedTrigger,
  type AttemptResult,
  type ClaimRequest,
  type CompletionResult,
  type Effect,
  type Entry,
  type FinalStatus,
  type Order,
  outcomeOf,
  type QueueName,
  queueNameOf,
  type ReleasedAs,
  type Report,
  type Store,
  type Taker,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { BESIDE } from '../rows/beside.ts'
import {
  beginAttempt,
  completeAttempt,
  type DoEffect,
  deliveryOf,
  isUnfinished,
  type KeptEntry,
  unclaim,
} from './kept-entry.ts'
import { inTurn, sharesIn } from './turns.ts'

type MemoryOutbox = {
  /** In the order in which they were added. */
  readonly ofOrder: (orderRef: string) => readonly KeptEntry[]
  /** Adds the effects of a step. `order`: the order after the step. */
  readonly add: (order: Order, effects: readonly Effect[]) => void
  readonly hasten: (orderRef: string, lane: string, at: number) => void
  /** Adds a resend of a finished delivery, unless there is one already. */
  readonly sendBeside: (delivery: KeptEntry, by: AskedTrigger, at: number) => void
  readonly claim: (request: ClaimRequest) => readonly Entry[]
  /** The claimed job, if the token is still valid. */
  readonly held: (orderRef: string, token: string) => KeptEntry | undefined
  /** `ending`: the final status by the step that the result causes. Null: as `conclusion` says. */
  readonly conclude: (
    entry: KeptEntry,
    conclusion: AttemptResult,
    ending: FinalStatus | null,
    report: Report | null,
  ) => CompletionResult
  /** Makes the job stuck. The result of its attempt is kept; nothing else happens. */
  readonly park: (entry: KeptEntry, message: string, conclusion: AttemptResult, report: Report | null) => void
  readonly giveBack: (entry: KeptEntry, as: ReleasedAs) => void
  readonly drop: (entry: KeptEntry) => void
  readonly stuck: () => readonly KeptEntry[]
  readonly unpark: (entry: KeptEntry, at: number) => void
  /** When the first pending job of these kinds is due. Null: none is pending. */
  readonly nextDueAt: (...kinds: readonly QueueName[]) => number | null
  readonly inFlight: () => number
  readonly slowMerchants: () => readonly string[]
  readonly handOver: Store['handOver']
  /** Runs a write. If it succeeds, the taker is notified of the jobs that it made due. */
  readonly committing: <E, A>(write: () => E.Either<E, A>) => E.Either<E, A>
}

const SLOW_MERCHANTS_MAX = 100

export type MemoryOutboxOptions = {
  /** Real time, used only for leases. */
  readonly realNow: () => number
}

export const memoryOutbox = ({ realNow }: MemoryOutboxOptions): MemoryOutbox => {
  const byOrder = new Map<string, KeptEntry[]>()
  // Jobs that may be due, are in flight or are stuck, in the order in which they were added.
  const live = new Set<KeptEntry>()
  let claims = 0
  let added = 0
  let taker: Taker | null = null
  // Jobs that the current write creates and hands over, each with its claim.
  let handed = new Map<KeptEntry, Entry>()

  const ofOrder = (orderRef: string): readonly KeptEntry[] => byOrder.get(orderRef) ?? []

  const unfinishedIn = (orderRef: string, lane: string): readonly KeptEntry[] =>
    ofOrder(orderRef).filter((entry) => entry.effect.lane === lane && isUnfinished(entry))

  const keep = (
    own: Pick<
      KeptEntry,
      'effect' | 'orderRef' | 'merchantRef' | 'account' | 'state' | 'madeAt' | 'resendOf' | 'cause' | 'firstAt'
    >,
  ): KeptEntry => {
    const entry: KeptEntry = {
      id: ++added,
      kind: queueNameOf(own.effect.work.kind),
      made: [],
      dueAt: own.effect.dueAt,
      attempts: 0,
      share: null,
      attempt: 0,
      token: null,
      leaseUntil: 0,
      isWithdrawn: false,
      message: null,
      ...own,
    }
    byOrder.set(own.orderRef, [...ofOrder(own.orderRef), entry])
    live.add(entry)
    return entry
  }

  const forget = (entry: KeptEntry): void => {
    byOrder.set(
      entry.orderRef,
      ofOrder(entry.orderRef).filter((each) => each !== entry),
    )
  }

  const drop = (entry: KeptEntry): void => {
    live.delete(entry)
    forget(entry)
  }

  const finish = <As extends FinalStatus | 'stuck'>(entry: KeptEntry, as: As): As => {
    entry.state = as
    entry.token = null
    if (as !== 'stuck') live.delete(entry)
    if (entry.kind === 'work' && as !== 'stuck') forget(entry)
    const [first] = unfinishedIn(entry.orderRef, entry.effect.lane)
    if (first?.state === 'queued') first.state = 'pending'
    return as
  }

  // A job and another job that is `behind` its lane are never in flight together: the earlier one runs first.
  const isBlocked = ({ effect, orderRef, dueAt }: KeptEntry): boolean =>
    ofOrder(orderRef).some(
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

  // The taker's request if an immediate claim would take this job, otherwise null.
  const offered = (entry: KeptEntry): Pick<ClaimRequest, 'at' | 'lease'> | null => {
    const request = entry.kind === 'work' && taker !== null ? taker.request(handed.size) : null
    return request === null || entry.dueAt > request.at || isBlocked(entry) ? null : request
  }

  const addOne = ({ placed, context }: Order, effect: DoEffect): void => {
    const { orderRef, merchant } = placed
    const entry = keep({
      effect,
      orderRef,
      merchantRef: merchant.ref,
      account: merchant.account,
      state: unfinishedIn(orderRef, effect.lane).length > 0 ? 'queued' : 'pending',
      madeAt: context.updatedAt,
      resendOf: null,
      cause: null,
      firstAt: null,
    })
    const request = entry.state === 'pending' ? offered(entry) : null
    if (request !== null) handed.set(entry, claimEntry(entry, request))
  }

  const withdraw = (orderRef: string, lane: string): void => {
    for (const entry of unfinishedIn(orderRef, lane))
      if (entry.state === 'claimed' && !handed.delete(entry)) entry.isWithdrawn = true
      else finish(entry, 'stopped')
  }

  const hasten = (orderRef: string, lane: string, at: number): void => {
    for (const entry of ofOrder(orderRef))
      if (entry.effect.lane === lane && entry.state === 'pending') entry.dueAt = Math.min(entry.dueAt, at)
  }

  const giveBack = (entry: KeptEntry, as: ReleasedAs): void => {
    if (as === 'begun') completeAttempt(entry, 'lost', null)
    else unclaim(entry)
    if (entry.isWithdrawn) finish(entry, 'stopped')
    else Object.assign(entry, { state: 'pending', token: null })
  }

  const passOnOverdueClaims = (): void => {
    for (const entry of live) if (entry.state === 'claimed' && entry.leaseUntil <= realNow()) giveBack(entry, 'begun')
  }

  // A resend has one attempt and is never retried.
  const concludeBeside = (entry: KeptEntry, delivery: KeptEntry, conclusion: AttemptResult): FinalStatus => {
    drop(entry)
    const as = conclusion.type === 'ended' ? conclusion.as : 'stopped'
    // If the original is back in its lane by now, it finishes there.
    const isOpen = !isUnfinished(delivery) && delivery.state !== 'delivered'
    if (isOpen && outcomeOf(conclusion) === 'accepted') {
      delivery.state = as
      live.delete(delivery)
    }
    return as
  }

  const parkAside = (entry: KeptEntry, message: string): void => {
    const delivery = deliveryOf(entry)
    if (delivery === entry) finish(entry, 'stuck')
    else {
      drop(entry)
      if (isUnfinished(delivery)) return
      delivery.state = 'stuck'
      live.add(delivery)
    }
    delivery.message = message
  }

  const nextDueAt = (...kinds: readonly QueueName[]): number | null => {
    const pending = [...live].filter(({ state, kind }) => state === 'pending' && kinds.includes(kind))
    return pending.length === 0 ? null : Math.min(...pending.map(({ dueAt }) => dueAt))
  }

  return {
    ofOrder,
    hasten,
    giveBack,
    drop,
    nextDueAt,
    inFlight: () => [...live].filter(({ state }) => state === 'claimed').length,
    slowMerchants: () =>
      [
        ...new Set(
          [...live].flatMap(({ state, share, merchantRef }) =>
            state === 'claimed' && share !== null ? [merchantRef] : [],
          ),
        ),
      ].slice(0, SLOW_MERCHANTS_MAX),

    add: (order, effects) => {
      const { orderRef } = order.placed
      for (const effect of effects)
        if (effect.type === 'do') addOne(order, effect)
        else if (effect.type === 'withdraw') withdraw(orderRef, effect.lane)
        else hasten(orderRef, effect.lane, order.context.updatedAt)
    },

    sendBeside: (delivery, by, at) => {
      const { orderRef, merchantRef, account, firstAt } = delivery
      if (ofOrder(orderRef).some(({ resendOf }) => resendOf === delivery)) return
      const effect = {
        ...delivery.effect,
        lane: `${BESIDE}${delivery.effect.lane}`,
        dueAt: at,
        until: null,
        behind: null,
      }
      keep({
        effect,
        orderRef,
        merchantRef,
        account,
        state: 'pending',
        madeAt: at,
        resendOf: delivery,
        cause: by,
        firstAt,
      })
    },

    claim: (request) => {
      passOnOverdueClaims()
      const due = (): readonly KeptEntry[] =>
        [...live]
          .filter((entry) => entry.state === 'pending' && entry.dueAt <= request.at && !isBlocked(entry))
          .sort((a, b) => a.dueAt - b.dueAt)
      const claimed = (entries: readonly KeptEntry[]) => entries.map((entry) => claimEntry(entry, request))
      const shareOf = sharesIn(live, request)
      // Deliveries first, so that jobs `behind` their lanes see them in flight.
      const taken = inTurn(due(), live, request, shareOf)
      const deliveries = claimed(taken)
      for (const entry of taken) {
        const share = shareOf(entry)
        entry.share = share < (request.shares?.others ?? request.perMerchant) ? share : null
      }
      const work = due().filter(({ kind }) => kind === 'work')
      return [...claimed(work.slice(0, request.room.work)), ...deliveries]
    },

    held: (orderRef, token) => ofOrder(orderRef).find((each) => each.state === 'claimed' && each.token === token),

    conclude: (entry, conclusion, ending, report) => {
      completeAttempt(entry, outcomeOf(conclusion), report)
      if (entry.resendOf !== null) return concludeBeside(entry, entry.resendOf, conclusion)
      if (entry.isWithdrawn) return finish(entry, 'stopped')
      if (ending !== null) return finish(entry, ending)
      if (conclusion.type === 'ended') return finish(entry, conclusion.as)
      // If another attempt was requested during this one, it is due at once.
      const dueAt = entry.cause === null ? conclusion.dueAt : entry.dueAt
      Object.assign(entry, { state: 'pending', token: null, dueAt })
      return 'again'
    },

    park: (entry, message, conclusion, report) => {
      completeAttempt(entry, outcomeOf(conclusion), report)
      parkAside(entry, message)
    },

    stuck: () => [...live].filter(({ state }) => state === 'stuck').sort((a, b) => a.id - b.id),

    unpark: (entry, at) => {
      const isLaneFree = unfinishedIn(entry.orderRef, entry.effect.lane).length === 0
      Object.assign(entry, { state: isLaneFree ? 'pending' : 'queued', dueAt: at, message: null })
    },

    handOver: (next) => {
      taker = next
    },

    committing: (write) => {
      handed = new Map()
      const written = write()
      if (E.isRight(written)) taker?.take([...handed.values()], nextDueAt('work', 'event', 'ipn'))
      return written
    },
  }
}
