// The writer's commands. They are names and plain data, because the writer may run in another thread.
import type {
  AttemptResult,
  CompletionResult,
  DeliveryErased,
  DeliveryNotFound,
  DroppedBatch,
  DropRequest,
  FinalStatus,
  Job,
  JournalLine,
  OperatorTask,
  QueueName,
  RecoverRequest,
  RecoveryPage,
  ReleasedAs,
  Report,
  SavedCard,
  Unavailable,
} from '@plazo/core'
import type { Either } from 'fp-ts/lib/Either.js'
import type { SandboxMessage, SandboxRecord } from '../../sandbox/sandbox-store.ts'
import type { DueRequest } from '../queries/due-jobs.ts'

export type JobInsert = {
  readonly type: 'do'
  readonly revision: number
  readonly lane: string
  readonly queue: QueueName
  /** The payload, as JSON. */
  readonly work: string
  /** The payload contains no personal data and is stored unencrypted. */
  readonly hasNoPersonalData: boolean
  readonly event: string | null
  readonly dueAt: number
  readonly expiresAt: number | null
  readonly excludes: string | null
}

export type EffectWrite = JobInsert | { readonly type: 'revoke' | 'expedite'; readonly lane: string }

/** A line to write. Its encrypted input is passed separately. */
export type LineWrite = Pick<JournalLine, 'seq' | 'at' | 'event' | 'detail'> & {
  readonly from: string
  readonly to: string
  readonly input: string | null
}

/** The order after a step, and the lines and effects that the step adds. The writer encrypts the texts. */
export type OrderWrite = {
  readonly orderRef: string
  readonly merchantRef: string
  readonly account: string
  readonly revision: number
  readonly snapshot: string
  /**
   * `requestedReference`: an `order_ref_1` that no other order of the merchant may hold. `heldReference`: the one that this order
   * then holds.
   */
  readonly requestedReference: string | null
  readonly heldReference: string | null
  readonly at: number
  readonly lines: readonly LineWrite[]
  /** Why the order waits for an operator. Null: the step does not change it. */
  readonly taskChange: { readonly why: OperatorTask | null; readonly since: number } | null
  readonly effects: readonly EffectWrite[]
}

export type PlaceWrite = OrderWrite & { readonly placed: string; readonly payload: string }

/** `expectedRevision`: the revision that the step was decided on. */
export type StepWrite = OrderWrite & { readonly id: number; readonly expectedRevision: number }

export type CompletionWrite = {
  readonly orderRef: string
  readonly token: string
  readonly attemptResult: AttemptResult
  /** The final status by the step that the result causes. Null: as `attemptResult` says. */
  readonly finalStatus: FinalStatus | null
  readonly report: Report | null
  readonly step: StepWrite | null
  /** The order that was decided on, even if the step changes nothing. Null: nothing was decided. */
  readonly decidedOn: { readonly id: number; readonly revision: number } | null
  /** Why the step could not be made: `step` is null then, and the job becomes stuck. Null: there is no such reason. */
  readonly fault: string | null
}

/** `changed`: the order has changed since the decision. `reference_taken`: another order holds the reference. */
export type WriteConflict = 'changed' | 'reference_taken'

/** `id`: its row number. The row stores the payload. */
export type ClaimedJob = Omit<Job, 'payload'> & { readonly id: number }

export type Commands = {
  /** Returns the order's row number. */
  readonly place: (write: PlaceWrite) => number | 'reference_taken'
  readonly step: (write: StepWrite) => 'done' | WriteConflict
  readonly complete: (write: CompletionWrite) => CompletionResult | WriteConflict
  readonly claim: (request: DueRequest) => readonly ClaimedJob[]
  readonly release: (input: { readonly token: string; readonly as: ReleasedAs }) => void
  /** False: no job with that key is stuck. */
  readonly retryStuckJob: (input: { readonly key: string; readonly at: number }) => boolean
  readonly resend: (input: {
    readonly merchantRef: string
    readonly id: string
    readonly at: number
  }) => Either<DeliveryNotFound | DeliveryErased, void>
  readonly recover: (request: RecoverRequest) => RecoveryPage
  readonly dropDeliveries: (request: DropRequest) => DroppedBatch
  readonly dropJournals: (request: DropRequest) => DroppedBatch
  readonly addMessage: (message: SandboxMessage) => void
  readonly keepCard: (input: { readonly orderRef: string; readonly owner: string; readonly card: SavedCard }) => void
  readonly addRecord: (input: { readonly record: Omit<SandboxRecord, 'id'>; readonly keepLast: number | null }) => void
  /** `value` null: removes the setting. */
  readonly setSetting: (input: {
    readonly merchantRef: string
    readonly name: string
    readonly value: string | null
  }) => void
  /** Returns how many milliseconds the clock is ahead afterwards. */
  readonly moveClock: (millis: number) => number
  /** Writes some change. A commit that changes nothing would succeed even on a full disk. */
  readonly probe: () => void
}

export type CommandName = keyof Commands

export type CommandInput<Name extends CommandName> = Parameters<Commands[Name]>[0]

export type CommandOf<Name extends CommandName> = { readonly name: Name; readonly input: CommandInput<Name> }

export type Command = { readonly [Name in CommandName]: CommandOf<Name> }[CommandName]

/** Null: the command has not run and may be run later. */
export type Outcome = Either<Unavailable, unknown> | null

/** The input and the result of one commit of the writer. Both are plain data, because the writer may run in another thread. */
export type Batch = {
  readonly commands: readonly Command[]
  /** Real time, used only for leases. */
  readonly now: number
}

export type BatchResult = {
  /** One per command, in the same order. The last ones may be missing: those commands have not run. */
  readonly outcomes: readonly Outcome[]
  /** When a claim may find more because of the commit. Infinite: it finds no more. */
  readonly nextDueAt: number
}

/** Resolves at once, or later if another thread writes. Never rejects. */
export type Write = (batch: Batch) => Promise<BatchResult>
