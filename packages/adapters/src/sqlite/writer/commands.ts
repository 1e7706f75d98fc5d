// The writer's commands. They are names and plain data, because the writer may run in another
// thread.
import type { CompletionResult, Job, ManualTrigger, Unavailable } from '@plazo/core/ports'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Conflict } from '../../sql/group-commit.ts'
import type {
  CompletionWrite,
  PlaceWrite,
  ReleaseWrite,
  StepWrite,
} from '../../sql/order-writes.ts'
import type { DueRequest } from '../queries/due-jobs.ts'

/** `id`: its row number. The row stores the payload. */
export type ClaimedJob = Omit<Job, 'payload'> & { readonly id: number }

export type Commands = {
  /** Returns the order's row number. */
  readonly place: (write: PlaceWrite) => { readonly row: number } | 'reference_taken'
  readonly step: (write: StepWrite<number>) => 'done' | Conflict
  readonly complete: (write: CompletionWrite<number>) => CompletionResult | Conflict
  readonly claim: (request: DueRequest) => readonly ClaimedJob[]
  readonly release: (write: ReleaseWrite) => void
  /** False: the job is not stuck. */
  readonly retryStuckJob: (input: { readonly id: number; readonly at: number }) => boolean
  /** Returns how many deliveries are sent again. */
  readonly resend: (input: {
    readonly ids: readonly number[]
    readonly by: ManualTrigger
    readonly at: number
  }) => number
  /** Runs the statements, and returns the rows of the last one. */
  readonly write: (
    statements: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  ) => readonly unknown[]
  /** Writes some change. A commit that changes nothing would succeed even on a full disk. */
  readonly probe: () => void
}

export type CommandName = keyof Commands

export type CommandInput<Name extends CommandName> = Parameters<Commands[Name]>[0]

export type CommandOf<Name extends CommandName> = {
  readonly name: Name
  readonly input: CommandInput<Name>
}

export type Command = { readonly [Name in CommandName]: CommandOf<Name> }[CommandName]

/** Runs a command that decides nothing. `Left` if it failed or was refused. */
export type RunCommand = <Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
) => TaskEither<Unavailable, ReturnType<Commands[Name]>>

/** The input of one commit of the writer. */
export type Batch = {
  readonly commands: readonly Command[]
  /** Real time, used only for leases. */
  readonly now: number
}
