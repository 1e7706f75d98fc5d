// The input and the result of one commit of the writer. Both are plain data, because the writer may run in another thread.
import type { Command } from './calls.ts'
import type { Outcome } from './committing.ts'
import type { MadeDue, Offer } from './making-due.ts'

export type Batch = {
  readonly commands: readonly Command[]
  /** Null: no job is handed over. */
  readonly offer: Offer | null
  /** Real time, used only for leases. */
  readonly now: number
}

/** `isAwaited`: an HTTP request waits for at least one of the calls. */
type Urgency = { readonly isAwaited: boolean }

export type Written = MadeDue & {
  /** One outcome per call. If it is null or missing, the call has not run. */
  readonly outcomes: readonly Outcome[]
}

/** Calls `answer` at once, or later if another thread writes. Never throws. */
export type Write = (batch: Batch, urgency: Urgency, answer: (written: Written) => void) => void
