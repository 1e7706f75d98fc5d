// The twenty-one invariants, in the order of their numbers.

import { attributeExactness, closure } from './action-tables.ts'
import { cancelProtocol } from './cancel.ts'
import { delivery } from './delivery.ts'
import { pushPullParity } from './events-match-polling.ts'
import { pollingIsRead, validation } from './form-and-polling.ts'
import type { Invariant } from './invariant.ts'
import { oneSendOneUse, otpGate } from './one-time-code.ts'
import { outboxRules } from './outbox.ts'
import { noSecondCharge } from './payments.ts'
import { refunds } from './refunds.ts'
import { onHold, risk } from './review-and-risk.ts'
import { conflict, finishReasons, terminalAbsorption } from './terminal-states.ts'
import { ledger, noStaleTimer, resumeSticky, screeningCountdown } from './timers.ts'

/** All invariants, in the order of their numbers. docs/testing.md. */
export const INVARIANTS: readonly Invariant[] = [
  closure,
  attributeExactness,
  validation,
  pollingIsRead,
  pushPullParity,
  terminalAbsorption,
  finishReasons,
  conflict,
  noSecondCharge,
  otpGate,
  oneSendOneUse,
  screeningCountdown,
  resumeSticky,
  noStaleTimer,
  ledger,
  onHold,
  risk,
  cancelProtocol,
  delivery,
  outboxRules,
  refunds,
]
