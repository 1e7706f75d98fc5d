// The twenty invariants, each in its place.
import type { Invariant } from '../invariant.ts'
import { attributeExactness, closure, pollingIsRead, pushPullParity, validation } from './action-tables.ts'
import { cancelProtocol, delivery } from './cancel-and-delivery.ts'
import { conflict, finishReasons, noSecondCharge, terminalAbsorption } from './ends.ts'
import { engine } from './engine.ts'
import { oneSendOneUse, otpGate } from './one-time-code.ts'
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
  engine,
]
