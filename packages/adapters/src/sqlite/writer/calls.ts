// What the writer is asked to write, by name and as plain data: it may stand in another thread.
import type {
  Conclusion,
  DeliveryForgotten,
  DeliveryUnknown,
  Dropped,
  DropRequest,
  Ending,
  Entry,
  GivenBackAs,
  Recovered,
  RecoverRequest,
  Report,
  SavedCard,
  Settled,
  Waiting,
  WorkClass,
} from '@plazo/core'
import type { Either } from 'fp-ts/lib/Either.js'
import type { SandboxMessage } from '../../sandbox/shelf.ts'
import type { DueRequest } from '../due.ts'
import type { LineWrite } from '../journal.ts'

export type DoWrite = {
  readonly type: 'do'
  readonly revision: number
  readonly lane: string
  readonly kind: WorkClass
  /** What it is to do, as JSON. */
  readonly work: string
  /** It names nobody, and is kept as it is. */
  readonly isPlain: boolean
  readonly event: string | null
  readonly dueAt: number
  readonly until: number | null
  readonly behind: string | null
}

export type EffectWrite = DoWrite | { readonly type: 'withdraw' | 'hasten'; readonly lane: string }

/** What a step leaves of its order, and adds to it; texts are sealed by the writer. */
export type OrderWrite = {
  readonly orderRef: string
  readonly merchantRef: string
  readonly account: string
  readonly revision: number
  readonly snapshot: string
  /** An `order_ref_1` that no other order of the merchant may hold, and the one that this one holds then. */
  readonly asks: string | null
  readonly holds: string | null
  readonly at: number
  readonly lines: readonly LineWrite[]
  /** Null: it waits for an operator, or does not, as before. */
  readonly waits: { readonly why: Waiting | null; readonly since: number } | null
  readonly effects: readonly EffectWrite[]
}

export type PlaceWrite = OrderWrite & { readonly placed: string; readonly payload: string }

/** `was`: the revision that it was decided on. */
export type StepWrite = OrderWrite & { readonly id: number; readonly was: number }

export type SettleWrite = {
  readonly orderRef: string
  readonly token: string
  readonly conclusion: Conclusion
  /** How it ends by its step; null: as concluded. */
  readonly ending: Ending | null
  readonly report: Report | null
  readonly step: StepWrite | null
  /** Why the step could not be made: the entry is parked. */
  readonly fault: string | null
}

/** `moved`: the order is no longer as it was decided on. `taken`: another holds the reference. */
export type Refused = 'moved' | 'taken'

/** `id`: of its row, which keeps what it is to do. */
export type ClaimedEntry = Omit<Entry, 'work'> & { readonly id: number }

export type Calls = {
  /** The number of the order's row. */
  readonly place: (write: PlaceWrite) => number | 'taken'
  readonly step: (write: StepWrite) => 'done' | Refused
  readonly settle: (write: SettleWrite) => Settled | Refused
  readonly claim: (request: DueRequest) => readonly ClaimedEntry[]
  readonly giveBack: (given: { readonly token: string; readonly as: GivenBackAs }) => void
  /** False: nothing of that key is parked. */
  readonly unpark: (given: { readonly key: string; readonly at: number }) => boolean
  readonly resend: (given: {
    readonly merchantRef: string
    readonly id: string
    readonly at: number
  }) => Either<DeliveryUnknown | DeliveryForgotten, void>
  readonly recover: (request: RecoverRequest) => Recovered
  readonly dropDeliveries: (request: DropRequest) => Dropped
  readonly dropJournals: (request: DropRequest) => Dropped
  readonly addMessage: (message: SandboxMessage) => void
  readonly keepCard: (given: { readonly orderRef: string; readonly owner: string; readonly card: SavedCard }) => void
  /** How far it is ahead then. */
  readonly moveClock: (millis: number) => number
  /** Writes something, whatever: where the disk is full, what changes nothing is committed all the same. */
  readonly probe: () => void
}

export type CallName = keyof Calls

export type Given<Name extends CallName> = Parameters<Calls[Name]>[0]

export type CallOf<Name extends CallName> = { readonly name: Name; readonly given: Given<Name> }

export type Call = { readonly [Name in CallName]: CallOf<Name> }[CallName]
