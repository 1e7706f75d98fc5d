// The port through which orders are remembered: each step is committed whole, with its journal and its effects.
// `decide` is a plain synchronous function; a store may call it more than once, and commits what it said last.
import type { Either } from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../delivery/attempt.ts'
import type { Lane, Work, WorkKind } from '../order/effect.ts'
import type { Order } from '../order/order.ts'
import type { JournalLine, Step } from '../order/step.ts'
import type { Conclusion, Ending } from './conclusion.ts'
import type { Deliveries } from './deliveries.ts'
import type { Orders } from './orders.ts'
import type { Retention } from './retention.ts'
import type { Unavailable } from './unavailable.ts'

export type OrderUnknown = { readonly _tag: 'OrderUnknown' }
/** Another order of the merchant holds the `order_ref_1`, and deciding again did not give way. */
export type ReferenceTaken = { readonly _tag: 'ReferenceTaken'; readonly reference: string }
/** Nothing of that key is stuck. */
export type EntryUnknown = { readonly _tag: 'EntryUnknown' }

/**
 * Called with the stored order, and with whether the reference that the step asks for is taken: with false, and where another
 * order of the merchant's holds it (`heldReference`), once more with true. It may be called again, and for nothing. What it
 * throws is `Unavailable` to its own caller, and to `settle` a step that could not be made.
 */
export type Decide<E, A> = (
  order: Order,
  referenceIsTaken: boolean,
) => Either<E, { readonly step: Step; readonly answer: A }>

/** An effect that was claimed to be carried out. Instants are domain time, epoch milliseconds. */
export type Entry = {
  readonly key: string
  readonly orderRef: string
  readonly merchantRef: string
  readonly lane: Lane
  readonly work: Work
  readonly until: number | null
  /** This attempt's number, from 1. */
  readonly attempt: number
  /** An ended delivery that is sent once more, beside lane and schedule: it is not given up by failing. */
  readonly isResend: boolean
  /** The `at` of the first claim of it, and of this one. */
  readonly firstAt: number
  readonly startedAt: number
  /**
   * The fencing token of this claim: once the entry was claimed anew, nothing can be settled with it. A lease that has ended, and
   * that nobody has noticed, still settles.
   */
  readonly token: string
}

/** Whether anything has been done of it. */
export type GivenBackAs = 'begun' | 'unbegun'

export type Settled =
  | Ending
  /** It is pending again. */
  | 'again'
  /** The claim had passed on: nothing was written. */
  | 'lost'
  /** The step could not be made: the entry is parked, and its lane goes on. Contract §6, Stuck. */
  | 'stuck'

/** What was concluded was written, with the step that it causes. */
export const isSettled = (as: Settled): as is Ending | 'again' => as !== 'lost' && as !== 'stuck'

/** Deliveries to merchants are counted apart from all other work. Contract §6, Fairness. */
export type WorkClass = 'event' | 'ipn' | 'work'

export const workClass = (kind: WorkKind): WorkClass => (kind === 'event' || kind === 'ipn' ? kind : 'work')

export type ClaimRequest = {
  /** Domain time: entries due at or before it. */
  readonly at: number
  /** Real milliseconds until the claim passes on. */
  readonly lease: number
  /** How many more this node will carry out now: of deliveries (events and IPNs together), and of other work. */
  readonly room: { readonly deliveries: number; readonly work: number }
  /**
   * How many events, and how many IPNs, of one account may be in flight over all nodes. All merchants of the account count
   * together.
   */
  readonly perMerchant: number
  /** What this node grants to each merchant within its account. Absent: `perMerchant` to every merchant. */
  readonly shares?: MerchantShares
}

/**
 * How many deliveries of one merchant may be in flight over all nodes, events and IPNs apart, by `merchantRef`. Where another
 * node has something of the merchant in flight and grants it less, the smaller share counts. A share below `others` marks the
 * merchant as slow while its deliveries are in flight (`Backlog.slowMerchants`). Contract §6, Fairness.
 */
export type MerchantShares = {
  /** The share of a merchant that is not listed; 0: nothing of it is claimed. */
  readonly others: number
  readonly event: ReadonlyMap<string, number>
  readonly ipn: ReadonlyMap<string, number>
}

/** Who carries out effects in this process, and is told what its commits make due. */
export type Taker = {
  /**
   * Asked for each effect that a commit could hand over: what a claim would ask for; null: none is taken now.
   * `underway`: how many others may be handed over by commits that are not made yet.
   */
  readonly request: (underway: number) => Pick<ClaimRequest, 'at' | 'lease'> | null
  /**
   * After the commit, before its caller is answered: what it has handed over; and the instant from which a claim may find
   * something more because of it, in no case later than it does; null: nothing.
   */
  readonly take: (entries: readonly Entry[], nextDueAt: number | null) => void
}

export type StuckEntry = { readonly key: string; readonly orderRef: string; readonly message: string }

/**
 * For those who watch: when the next entry of each class is due, as `nextDueAt` has it, which may lie in the past; how many are
 * claimed and not settled, by whomever; and what is parked.
 */
export type Backlog = {
  readonly nextDueAt: { readonly [kind in WorkClass]: number | null }
  readonly inFlight: number
  readonly stuck: number
  /** Merchants whose deliveries are in flight under a smaller share, on any node; at most 100, in no order. */
  readonly slowMerchants: readonly string[]
}

/** A line of the journal as it is shown. */
export type ShownLine = Omit<JournalLine, 'input'>

/** `next`: where the page of older lines begins; null after the oldest. Only the store knows what it means. */
export type HistoryPage = { readonly lines: readonly ShownLine[]; readonly next: number | null }

export type Store = {
  /** Remembers a new order; one that is there already stays, and is `Unavailable`. `payload` is the merchant's, as it came. */
  readonly place: (step: Step, payload: string) => TaskEither<ReferenceTaken | Unavailable, void>
  readonly read: (orderRef: string) => TaskEither<OrderUnknown | Unavailable, Order>
  /** Lines with a `seq` of their own, oldest first: all of them, which may be many. `history` reads a page. */
  readonly journal: (orderRef: string) => TaskEither<OrderUnknown | Unavailable, readonly JournalLine[]>
  /**
   * So many lines of an order's journal, the newest first, without the input that replays them.
   *
   * @param from `next` of the page before; null begins with the newest line. Lines that are written meanwhile move no page.
   */
  readonly history: (
    orderRef: string,
    from: number | null,
    limit: number,
  ) => TaskEither<OrderUnknown | Unavailable, HistoryPage>
  /** The order of the merchant that holds this `order_ref_1`. */
  readonly findHolder: (merchantRef: string, orderRef1: string) => TaskEither<OrderUnknown | Unavailable, Order>
  /** Decides on the stored order and commits order, journal and effects together; answers after the commit. */
  readonly step: <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
  ) => TaskEither<E | OrderUnknown | ReferenceTaken | Unavailable, A>
  /**
   * Takes due effects and notes an attempt of each delivery, first in first out for each order and lane, each merchant in
   * turn. The request is asked for when the claim is made: places that came free since it was called for count. Claims whose
   * lease has ended are given back before, as begun.
   */
  readonly claim: (request: IO<ClaimRequest>) => TaskEither<Unavailable, readonly Entry[]>
  /**
   * From now on, what a commit of this process makes due at once may be handed over to him, claimed as he would find it:
   * other work than deliveries, whose merchants take turns, and only what nothing goes before. The last taker counts; null
   * ends it. A store may hand over nothing; it tells of every commit all the same.
   */
  readonly handOver: (taker: Taker | null) => void
  /**
   * Writes what became of a claimed entry, what an attempt of a delivery found, and the step it causes, together. `decide`
   * answers how the entry ends by that step, whatever was concluded of the attempt; null: as it was concluded. The entry comes
   * first: what its own step withdraws does not stop it. An attempt is completed in any case, by `outcomeOf` the conclusion,
   * with the report where there is one.
   */
  readonly settle: (
    entry: Pick<Entry, 'key' | 'orderRef' | 'token'>,
    conclusion: Conclusion,
    decide: Decide<{ readonly message: string }, Ending | null> | null,
    report: Report | null,
  ) => TaskEither<Unavailable, Settled>
  /**
   * Gives claims back unfinished: the node is going down. An attempt that was begun is lost, as nobody knows whether it
   * arrived; what was not begun is as if it had never been claimed.
   */
  readonly giveBack: (
    entries: readonly Pick<Entry, 'key' | 'orderRef' | 'token'>[],
    as: GivenBackAs,
  ) => TaskEither<Unavailable, void>
  /** When the next pending effect is due, if one is, of those that wait for no other in their lane. */
  readonly nextDueAt: () => TaskEither<Unavailable, number | null>
  /** Costs no more than `nextDueAt`, however much waits. */
  readonly backlog: () => TaskEither<Unavailable, Backlog>
  readonly stuck: () => TaskEither<Unavailable, readonly StuckEntry[]>
  /** Puts what is stuck back into its lane, due at once: somebody has mended what held it. Contract §6, Stuck. */
  readonly unpark: (key: string, at: number) => TaskEither<EntryUnknown | Unavailable, void>
  readonly deliveries: Deliveries
  readonly orders: Orders
  readonly retention: Retention
}
