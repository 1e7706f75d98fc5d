// What is asked of one commit of the writer's, and what he answers.
import type { Call } from './calls.ts'
import type { Outcome } from './committing.ts'
import type { MadeDue, Offer } from './making-due.ts'

export type Batch = {
  readonly calls: readonly Call[]
  /** Null: nothing is handed over. */
  readonly offer: Offer | null
  /** Real time, for leases alone. */
  readonly now: number
}

/** `isAwaited`: somebody waits for some of it at a screen. */
type Urgency = { readonly isAwaited: boolean }

export type Written = MadeDue & {
  /** Of each call; where it is null, or none, the call has had no turn. */
  readonly outcomes: readonly Outcome[]
}

/** Answers at once, or once it is written elsewhere. Never throws. */
export type Write = (batch: Batch, urgency: Urgency, answer: (written: Written) => void) => void
