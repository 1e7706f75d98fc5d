// A second, minimal implementation of the checkout: a reducer from acts to the answer that wait
// must give. It shares no rule with the statechart, so that both cannot have the same error.
// Contract §4 and §5.
import { WEEK } from '../../delivery/schedule.ts'
import type {
  IdentificationActionName,
  IdVerificationStatus,
  WaitActionName,
} from '../../protocol/action.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { Act } from './actions.ts'
import type { Script } from './provider-script.ts'

const SECOND = 1000
const LIFETIME = 24 * 3600 * SECOND
const NEVER = Number.POSITIVE_INFINITY

type Stage = WaitActionName

/** All that the second implementation remembers of an order. Instants are epoch milliseconds. */
export type PredictedOrder = {
  readonly at: number
  readonly stage: Stage
  readonly script: Script
  readonly person: 'Ana' | 'Eva' | null
  readonly otp: {
    readonly issues: number
    readonly issuedAt: number
    readonly isLive: boolean
    readonly wrong: number
  }
  readonly rounds: number
  readonly outcome: Script['screening'] | 'expired' | null
  /** When the pending provider or IPN is asked again, and when the current stage ends by itself. */
  readonly retryAt: number
  readonly endsAt: number
  readonly session: { readonly status: IdVerificationStatus; readonly errors: number }
  readonly product: 'i1' | 'pp3' | 'fp1'
  readonly isPaid: boolean
  readonly declined: number
  readonly isUnderReview: boolean
  readonly wasHeld: boolean
  readonly hasIpn: boolean
  /** When the payment or the ID session was first requested. */
  readonly openingSince: number
  readonly ipnSince: number
  readonly ipnSlot: number
}

/** The prediction for a new order. `at` counts from the placing, in milliseconds. */
export const newPrediction = (script: Script, hasIpn: boolean): PredictedOrder => ({
  at: 0,
  stage: 'show_identification_form',
  script,
  person: null,
  otp: { issues: 0, issuedAt: -NEVER, isLive: false, wrong: 0 },
  rounds: 0,
  outcome: null,
  retryAt: NEVER,
  endsAt: NEVER,
  session: { status: 'STARTED', errors: 0 },
  product: 'i1',
  isPaid: false,
  declined: 0,
  isUnderReview: false,
  wasHeld: false,
  hasIpn,
  openingSince: 0,
  ipnSince: 0,
  ipnSlot: 0,
})

export const waitOf = ({ stage }: PredictedOrder): WaitActionName => stage

const IDENTIFICATION_ACTIONS: { readonly [stage in Stage]?: IdentificationActionName } = {
  show_conflict: 'show_error',
  wait_for_on_hold: 'show_on_hold',
}

/** The answer to a submission, before any effect that it causes has run. */
export const identificationOf = (before: PredictedOrder, action: Act): string => {
  const after = applyAct(before, action)
  if (action.type !== 'submit' || action.wrongField !== null) return 'show_identification_form'
  const isAsked =
    before.stage === 'require_validate_otp' &&
    action.who === before.person &&
    action.code !== 'none'
  if (isAsked && after.stage === 'require_validate_otp') return 'show_identification_form'
  return IDENTIFICATION_ACTIONS[after.stage] ?? after.stage
}

const FINAL_STAGES: readonly Stage[] = ['finish', 'reject', 'show_error', 'show_conflict']

const fail = (model: PredictedOrder): PredictedOrder => end(model, 'show_error')
const end = (model: PredictedOrder, stage: Stage): PredictedOrder => ({
  ...model,
  stage,
  retryAt: NEVER,
  endsAt: NEVER,
})

const requestCode = (model: PredictedOrder): PredictedOrder => {
  const { at, otp } = model
  if (at < otp.issuedAt + 30 * SECOND) return { ...model, stage: 'require_validate_otp' }
  if (otp.issues >= 3) return fail(model)
  return {
    ...model,
    stage: 'require_validate_otp',
    otp: { issues: otp.issues + 1, issuedAt: at, isLive: true, wrong: 0 },
  }
}

const startScreening = (model: PredictedOrder): PredictedOrder => ({
  ...model,
  stage: 'wait_for_screening',
  rounds: model.rounds + 1,
  outcome: null,
  retryAt: model.script.screening === 'silent' ? NEVER : model.at + SECOND,
  endsAt: model.at + 60 * SECOND,
})

const sendIpn = (model: PredictedOrder): PredictedOrder => {
  const { ipn } = model.script
  const isHold = model.stage === 'wait_for_on_hold'
  if (ipn === 409 || ipn === 410) return end(model, 'show_conflict')
  if (ipn === 'puts' || (ipn !== null && ipn >= 200 && ipn < 300))
    return isHold ? startHold(model) : end(model, 'finish')
  const slot = model.ipnSlot + 1
  const next = WEEK[slot]
  return next === undefined
    ? fail(model)
    : { ...model, ipnSlot: slot, retryAt: model.ipnSince + next }
}

const startHold = (model: PredictedOrder): PredictedOrder => ({
  ...end(model, 'show_on_hold'),
  wasHeld: true,
})

const startConfirmation = (model: PredictedOrder): PredictedOrder => {
  const stage = model.isUnderReview ? 'wait_for_on_hold' : 'wait_for_confirmation'
  const confirming = {
    ...model,
    stage,
    ipnSince: model.at,
    ipnSlot: 0,
    retryAt: NEVER,
    endsAt: NEVER,
  } as const
  if (model.hasIpn) return { ...confirming, retryAt: model.at }
  return model.wasHeld ? { ...confirming, endsAt: model.at + 7 * LIFETIME } : confirming
}

const startOpening = (model: PredictedOrder): PredictedOrder => ({
  ...model,
  retryAt: model.at,
  endsAt: NEVER,
  openingSince: model.at,
})

// The shopper is waiting, so opening is tried only for a minute.
const OPENING_RETRIES = [10, 20, 40, 60].map((seconds) => seconds * SECOND)

const retryOpening = (model: PredictedOrder): PredictedOrder => {
  const next = OPENING_RETRIES.find((since) => model.openingSince + since > model.at)
  return next === undefined ? fail(model) : { ...model, retryAt: model.openingSince + next }
}

const approve = (model: PredictedOrder): PredictedOrder =>
  model.product !== 'i1' && !model.isPaid
    ? startOpening({ ...model, stage: 'require_payment' })
    : startConfirmation(model)

const openSession = (model: PredictedOrder): PredictedOrder =>
  startOpening({
    ...model,
    stage: 'wait_for_id_verification',
    session: { ...model.session, status: 'STARTED' },
  })

const askIdentity = (model: PredictedOrder): PredictedOrder => {
  const { identity } = model.script
  if (identity === 'waits') return { ...model, retryAt: NEVER }
  const reportAt = model.openingSince + 2 * SECOND
  return model.at < reportAt ? { ...model, retryAt: reportAt } : reportSession(model, identity)
}

const reportSession = (model: PredictedOrder, status: SessionStatus): PredictedOrder => {
  const errors = model.session.errors + (status === 'ERROR' ? 1 : 0)
  if (errors >= 3) return fail(model)
  const endsAt = status === 'ERROR' ? NEVER : model.at + 3 * SECOND
  return { ...model, session: { status, errors }, retryAt: NEVER, endsAt }
}

const revealOutcome = (model: PredictedOrder): PredictedOrder => {
  switch (model.outcome) {
    case 'approved':
      return approve(model)
    case 'review':
      return approve({ ...model, isUnderReview: true })
    case 'alternative':
      return { ...model, stage: 'alt_payment' }
    case 'identity':
      return openSession(model)
    case 'denied':
      return end(model, 'reject')
    case 'expired':
      return model.rounds < 3 ? startScreening(model) : fail(model)
    default:
      return fail(model)
  }
}

const VERIFICATION_STAGES: readonly Stage[] = [
  'require_validate_otp',
  'wait_for_screening',
  'resume_after_screening',
  'wait_for_id_verification',
  'alt_payment',
  'require_payment',
]

const submitOtherPerson = (
  model: PredictedOrder,
  person: PredictedOrder['person'],
): PredictedOrder =>
  VERIFICATION_STAGES.includes(model.stage)
    ? requestCode({
        ...model,
        person,
        otp: { ...model.otp, isLive: false },
        rounds: 0,
        outcome: null,
        retryAt: NEVER,
        endsAt: NEVER,
        session: { status: 'STARTED', errors: 0 },
        isUnderReview: false,
      })
    : model

const submitSamePerson = (
  model: PredictedOrder,
  action: Extract<Act, { type: 'submit' }>,
): PredictedOrder => {
  switch (model.stage) {
    case 'require_validate_otp': {
      if (action.code === 'malformed') return model
      if (action.code === 'none') return requestCode(model)
      const { otp, at } = model
      const isCodeValid = otp.isLive && otp.wrong < 5 && at < otp.issuedAt + 300 * SECOND
      if (isCodeValid && action.code === 'last')
        return startScreening({
          ...model,
          otp: { ...otp, isLive: false },
          product: action.product ?? 'i1',
        })
      return isCodeValid ? { ...model, otp: { ...otp, wrong: otp.wrong + 1 } } : model
    }
    case 'resume_after_screening':
      return revealOutcome(model)
    case 'wait_for_id_verification':
      if (model.session.status === 'VERIFIED') return approve(model)
      if (model.session.status === 'FAILED') return end(model, 'reject')
      return model.session.status === 'ERROR' ? openSession(model) : model
    case 'alt_payment':
      return action.product === 'i1' ? approve({ ...model, product: 'i1' }) : model
    default:
      return model
  }
}

const submitForm = (
  model: PredictedOrder,
  action: Extract<Act, { type: 'submit' }>,
): PredictedOrder => {
  if (action.wrongField !== null) return model
  if (model.stage === 'show_identification_form')
    return requestCode({ ...model, person: action.who })
  return action.who === model.person
    ? submitSamePerson(model, action)
    : submitOtherPerson(model, action.who)
}

const payCard = (
  model: PredictedOrder,
  { outcome, isOld }: Extract<Act, { type: 'pay' }>,
): PredictedOrder => {
  if (model.stage !== 'require_payment' || isOld || outcome === 'challenged') return model
  if (outcome === 'succeeded') return startConfirmation({ ...model, isPaid: true })
  const declined = model.declined + 1
  return declined < 5 ? startOpening({ ...model, declined }) : fail({ ...model, declined })
}

const applyMerchantAct = (
  model: PredictedOrder,
  { act }: Extract<Act, { type: 'merchant' }>,
): PredictedOrder => {
  const expectedAct =
    model.stage === 'wait_for_confirmation'
      ? 'confirmed'
      : model.stage === 'wait_for_on_hold'
        ? 'on_hold'
        : null
  if (expectedAct === null || act !== expectedAct) return model
  const { ipn } = model.script
  if (model.hasIpn && (ipn === 409 || ipn === 410)) return end(model, 'show_conflict')
  return expectedAct === 'on_hold' ? startHold(model) : end(model, 'finish')
}

const applyOperatorAct = (
  model: PredictedOrder,
  { act }: Extract<Act, { type: 'operator' }>,
): PredictedOrder => {
  if (model.stage !== 'show_on_hold') return model
  if (act === 'reject') return end(model, 'reject')
  return act === 'approve' ? startConfirmation({ ...model, isUnderReview: false }) : model
}

// Asks the provider again, or sends the IPN again, and applies the answer.
const retryPending = (model: PredictedOrder): PredictedOrder => {
  const { screening: outcome, isOpening } = model.script
  switch (model.stage) {
    case 'wait_for_screening':
      return outcome === 'silent'
        ? { ...model, retryAt: NEVER }
        : { ...end(model, 'resume_after_screening'), outcome }
    case 'wait_for_id_verification':
      return isOpening ? askIdentity(model) : retryOpening(model)
    case 'require_payment':
      return isOpening ? { ...model, retryAt: NEVER } : retryOpening(model)
    case 'wait_for_confirmation':
    case 'wait_for_on_hold':
      return sendIpn(model)
    default:
      return { ...model, retryAt: NEVER }
  }
}

const applyTimeout = (model: PredictedOrder): PredictedOrder => {
  if (model.stage === 'wait_for_screening')
    return { ...end(model, 'resume_after_screening'), outcome: 'expired' }
  if (model.stage === 'wait_for_confirmation') return fail(model)
  return model.session.status === 'VERIFIED' ? approve(model) : end(model, 'reject')
}

const advanceTo = (model: PredictedOrder, until: number): PredictedOrder => {
  const lifetime = model.wasHeld || FINAL_STAGES.includes(model.stage) ? NEVER : LIFETIME
  const next = Math.min(model.retryAt, model.endsAt, lifetime)
  if (next > until) return { ...model, at: until }
  const now = { ...model, at: Math.max(model.at, next) }
  if (next === lifetime) return advanceTo(fail(now), until)
  return advanceTo(next === model.retryAt ? retryPending(now) : applyTimeout(now), until)
}

/** Applies an act, and then everything that is due at that instant. */
export const reduce = (model: PredictedOrder, action: Act): PredictedOrder => {
  const done = applyAct(model, action)
  return advanceTo(done, done.at)
}

const applyAct = (model: PredictedOrder, action: Act): PredictedOrder => {
  switch (action.type) {
    case 'submit':
      return submitForm(model, action)
    case 'pay':
      return payCard(model, action)
    case 'verify':
      return model.stage === 'wait_for_id_verification' && model.session.status === 'STARTED'
        ? reportSession(model, action.status)
        : model
    case 'merchant':
      return applyMerchantAct(model, action)
    case 'operator':
      return applyOperatorAct(model, action)
    case 'script':
      return { ...model, script: { ...model.script, ...action.change } }
    case 'pass':
      return advanceTo(model, model.at + action.millis)
    case 'poll':
    case 'echo':
      return model
  }
}
