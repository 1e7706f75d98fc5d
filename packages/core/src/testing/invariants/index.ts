// The twenty invariants, in the order of their numbers.
import type { Invariant } from '../invariant.ts'
import { attributeExactness, closure } from './action-tables.ts'
import { cancelProtocol } from './cancel.ts'
import { delivery } from './delivery.ts'
import { conflict, finishReasons, terminalAbsorption } from './ends.ts'
import { outboxRules } from './engine.ts'
import { pollingIsRead, validation } from './form-and-polling.ts'
import { oneSendOneUse, otpGate } from './one-time-code.ts'
import { noSecondCharge } from './payments.ts'
import { pushPullParity } from './push.ts'
import { onHold, risk } from './review-and-risk.ts'
import { ledger, noStaleTimer, resumeSticky, screeningCountdown } from './timers.ts'

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
]
