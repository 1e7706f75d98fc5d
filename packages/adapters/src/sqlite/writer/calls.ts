// The writer's commands. They are names and plain data, because the writer may run in another thread.
import type {
  AttemptResult,
  CompletionResult,
  DeliveryErased,
  DeliveryNotFound,
  Dropped,
  DropRequest,
  Entry,
  FinalStatus,
  OperatorTask,
  QueueName,
  Recovered,
  RecoverRequest,
  ReleasedAs,
  Report,
  SavedCard,
} from '@plazo/core'
import type { Either } from 'fp-ts/lib/Either.js'
import type { SandboxMessage } from '../../sandbox/shelf.ts'
import type { DueRequest } from '../due.ts'
import type { LineWrite } from '../journal.ts'

export type DoWrite = {
  readonly type: 'do'
  readonly revision: number
  readonly lane: string
  readonly kind: QueueName
  /** The payload, as JSON. */
  readonly work: string
  /** The payload contains no personal data and is stored unencrypted. */
  readonly isPlain: boolean
  readonly event: string | null
  readonly dueAt: number
  readonly until: number | null
  readonly behind: string | null
}

export type EffectWrite = DoWrite | { readonly type: 'withdraw' | 'hasten'; readonly lane: string }

/** The order after a step, and the lines and effects that the step adds. The writer encrypts the texts. */
export type OrderWrite = {
  readonly orderRef: string
  readonly merchantRef: string
  readonly account: string
  readonly revision: number
  readonly snapshot: string
  /** `asks`: an `order_ref_1` that no other order of the merchant may hold. `holds`: the one that this order then holds. */
  readonly asks: string | null
  readonly holds: string | null
  readonly at: number
  readonly lines: readonly LineWrite[]
  /** Why the order waits for an operator. Null: the step does not change it. */
  readonly waits: { readonly why: OperatorTask | null; readonly since: number } | null
  readonly effects: readonly EffectWrite[]
}

export type PlaceWrite = OrderWrite & { readonly placed: string; readonly payload: string }

/** `was`: the revision that the step was decided on. */
export type StepWrite = OrderWrite & { readonly id: number; readonly was: number }

export type SettleWrite = {
  readonly orderRef: string
  readonly token: string
  readonly conclusion: AttemptResult
  /** The final status by the step that the result causes. Null: as `conclusion` says. */
  readonly ending: FinalStatus | null
  readonly report: Report | null
  readonly step: StepWrite | null
  /** Why the step could not be made: the job becomes stuck. Null: there is no such reason. */
  readonly fault: string | null
}

/** `moved`: the order has changed since the decision. `taken`: another order holds the reference. */
export type Refused = 'moved' | 'taken'

/** `id`: its row number. The row stores the payload. */
export type ClaimedEntry = Omit<Entry, 'work'> & { readonly id: number }

export type Calls = {
  /** Returns the order's row number. */
  readonly place: (write: PlaceWrite) => number | 'taken'
  readonly step: (write: StepWrite) => 'done' | Refused
  readonly settle: (write: SettleWrite) => CompletionResult | Refused
  readonly claim: (request: DueRequest) => readonly ClaimedEntry[]
  readonly giveBack: (given: { readonly token: string; readonly as: ReleasedAs }) => void
  /** False: no job with that key is stuck. */
  readonly unpark: (given: { readonly key: string; readonly at: number }) => boolean
  readonly resend: (given: {
    readonly merchantRef: string
    readonly id: string
    readonly at: number
  }) => Either<DeliveryNotFound | DeliveryErased, void>
  readonly recover: (request: RecoverRequest) => Recovered
  readonly dropDeliveries: (request: DropRequest) => Dropped
  readonly dropJournals: (request: DropRequest) => Dropped
  readonly addMessage: (message: SandboxMessage) => void
  readonly keepCard: (given: { readonly orderRef: string; readonly owner: string; readonly card: SavedCard }) => void
  /** Returns how many milliseconds the clock is ahead afterwards. */
  readonly moveClock: (millis: number) => number
  /** Writes some change. A commit that changes nothing would succeed even on a full disk. */
  readonly probe: () => void
}

export type CallName = keyof Calls

export type Given<Name extends CallName> = Parameters<Calls[Name]>[0]

export type CallOf<Name extends CallName> = { readonly name: Name; readonly given: Given<Name> }

export type Call = { readonly [Name in CallName]: CallOf<Name> }[CallName]
