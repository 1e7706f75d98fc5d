// A second, minimal implementation of the checkout: a reducer from acts to the answer that wait must give. It shares no rule
// with the statechart, so that both cannot have the same error. Contract §4 and §5.
import { WEEK } from '../delivery/schedule.ts'
import type { IdentificationActionName, IdVerificationStatus, WaitActionName } from '../protocol/action.ts'
import type { SessionStatus } from '../protocol/provider-answer.ts'
import type { Act } from './act.ts'
import type { Script } from './script.ts'

const SECOND = 1000
const LIFETIME = 24 * 3600 * SECOND
const NEVER = Number.POSITIVE_INFINITY

type Stage = WaitActionName

export type OrderModel = {
  readonly at: number
  readonly stage: Stage
  readonly script: Script
  readonly person: 'Ana' | 'Eva' | null
  readonly otp: { readonly issues: number; readonly issuedAt: number; readonly isLive: boolean; readonly wrong: number }
  readonly rounds: number
  readonly outcome: Script['screening'] | 'expired' | null
  /** When the pending decider or IPN is asked again, and when the current stage ends by itself. */
  readonly asksAt: number
  readonly endsAt: number
  readonly session: { readonly status: IdVerificationStatus; readonly errors: number }
  readonly product: 'i1' | 'pp3' | 'fp1'
  readonly isPaid: boolean
  readonly declined: number
  readonly isUnderReview: boolean
  readonly wasHeld: boolean
  readonly hasIpn: boolean
  /** When the payment or the ID session was first requested. */
  readonly opensFrom: number
  readonly ipnFrom: number
  readonly ipnSlot: number
}

/** The model of a new order. `at` counts from the placing, in milliseconds. */
export const newModel = (script: Script, hasIpn: boolean): OrderModel => ({
  at: 0,
  stage: 'show_identification_form',
  script,
  person: null,
  otp: { issues: 0, issuedAt: -NEVER, isLive: false, wrong: 0 },
  rounds: 0,
  outcome: null,
  asksAt: NEVER,
  endsAt: NEVER,
  session: { status: 'STARTED', errors: 0 },
  product: 'i1',
  isPaid: false,
  declined: 0,
  isUnderReview: false,
  wasHeld: false,
  hasIpn,
  opensFrom: 0,
  ipnFrom: 0,
  ipnSlot: 0,
})

export const waitOf = ({ stage }: OrderModel): WaitActionName => stage

const ASIDE: { readonly [stage in Stage]?: IdentificationActionName } = {
  show_conflict: 'show_error',
  wait_for_on_hold: 'show_on_hold',
}

/** The answer to a submission, before any effect that it causes has run. */
export const identificationOf = (before: OrderModel, told: Act): string => {
  const after = acted(before, told)
  if (told.type !== 'submit' || told.wrongField !== null) return 'show_identification_form'
  const isAsked = before.stage === 'require_validate_otp' && told.who === before.person && told.code !== 'none'
  if (isAsked && after.stage === 'require_validate_otp') return 'show_identification_form'
  return ASIDE[after.stage] ?? after.stage
}

const ENDS: readonly Stage[] = ['finish', 'reject', 'show_error', 'show_conflict']

const failed = (model: OrderModel): OrderModel => ended(model, 'show_error')
const ended = (model: OrderModel, stage: Stage): OrderModel => ({ ...model, stage, asksAt: NEVER, endsAt: NEVER })

const askingForCode = (model: OrderModel): OrderModel => {
  const { at, otp } = model
  if (at < otp.issuedAt + 30 * SECOND) return { ...model, stage: 'require_validate_otp' }
  if (otp.issues >= 3) return failed(model)
  return {
    ...model,
    stage: 'require_validate_otp',
    otp: { issues: otp.issues + 1, issuedAt: at, isLive: true, wrong: 0 },
  }
}

const screening = (model: OrderModel): OrderModel => ({
  ...model,
  stage: 'wait_for_screening',
  rounds: model.rounds + 1,
  outcome: null,
  asksAt: model.script.screening === 'silent' ? NEVER : model.at + SECOND,
  endsAt: model.at + 60 * SECOND,
})

const askedIpn = (model: OrderModel): OrderModel => {
  const { ipn } = model.script
  const isHold = model.stage === 'wait_for_on_hold'
  if (ipn === 409 || ipn === 410) return ended(model, 'show_conflict')
  if (ipn === 'puts' || (ipn !== null && ipn >= 200 && ipn < 300)) return isHold ? held(model) : ended(model, 'finish')
  const slot = model.ipnSlot + 1
  const next = WEEK[slot]
  return next === undefined ? failed(model) : { ...model, ipnSlot: slot, asksAt: model.ipnFrom + next }
}

const held = (model: OrderModel): OrderModel => ({ ...ended(model, 'show_on_hold'), wasHeld: true })

const asking = (model: OrderModel): OrderModel => {
  const stage = model.isUnderReview ? 'wait_for_on_hold' : 'wait_for_confirmation'
  const begun = { ...model, stage, ipnFrom: model.at, ipnSlot: 0, asksAt: NEVER, endsAt: NEVER } as const
  if (model.hasIpn) return { ...begun, asksAt: model.at }
  return model.wasHeld ? { ...begun, endsAt: model.at + 7 * LIFETIME } : begun
}

const opening = (model: OrderModel): OrderModel => ({
  ...model,
  asksAt: model.at,
  endsAt: NEVER,
  opensFrom: model.at,
})

// The shopper is waiting, so opening is tried only for a minute.
const TRIES = [10, 20, 40, 60].map((seconds) => seconds * SECOND)

const notOpened = (model: OrderModel): OrderModel => {
  const next = TRIES.find((since) => model.opensFrom + since > model.at)
  return next === undefined ? failed(model) : { ...model, asksAt: model.opensFrom + next }
}

const approved = (model: OrderModel): OrderModel =>
  model.product !== 'i1' && !model.isPaid ? opening({ ...model, stage: 'require_payment' }) : asking(model)

const openSession = (model: OrderModel): OrderModel =>
  opening({ ...model, stage: 'wait_for_id_verification', session: { ...model.session, status: 'STARTED' } })

const askedIdentity = (model: OrderModel): OrderModel => {
  const { identity } = model.script
  if (identity === 'waits') return { ...model, asksAt: NEVER }
  const saysAt = model.opensFrom + 2 * SECOND
  return model.at < saysAt ? { ...model, asksAt: saysAt } : reported(model, identity)
}

const reported = (model: OrderModel, status: SessionStatus): OrderModel => {
  const errors = model.session.errors + (status === 'ERROR' ? 1 : 0)
  if (errors >= 3) return failed(model)
  const endsAt = status === 'ERROR' ? NEVER : model.at + 3 * SECOND
  return { ...model, session: { status, errors }, asksAt: NEVER, endsAt }
}

const revealed = (model: OrderModel): OrderModel => {
  switch (model.outcome) {
    case 'approved':
      return approved(model)
    case 'review':
      return approved({ ...model, isUnderReview: true })
    case 'alternative':
      return { ...model, stage: 'alt_payment' }
    case 'identity':
      return openSession(model)
    case 'denied':
      return ended(model, 'reject')
    case 'expired':
      return model.rounds < 3 ? screening(model) : failed(model)
    default:
      return failed(model)
  }
}

const PROVING: readonly Stage[] = [
  'require_validate_otp',
  'wait_for_screening',
  'resume_after_screening',
  'wait_for_id_verification',
  'alt_payment',
  'require_payment',
]

const byAnother = (model: OrderModel, person: OrderModel['person']): OrderModel =>
  PROVING.includes(model.stage)
    ? askingForCode({
        ...model,
        person,
        otp: { ...model.otp, isLive: false },
        rounds: 0,
        outcome: null,
        asksAt: NEVER,
        endsAt: NEVER,
        session: { status: 'STARTED', errors: 0 },
        isUnderReview: false,
      })
    : model

const byTheSame = (model: OrderModel, told: Extract<Act, { type: 'submit' }>): OrderModel => {
  switch (model.stage) {
    case 'require_validate_otp': {
      if (told.code === 'malformed') return model
      if (told.code === 'none') return askingForCode(model)
      const { otp, at } = model
      const stands = otp.isLive && otp.wrong < 5 && at < otp.issuedAt + 300 * SECOND
      if (stands && told.code === 'last')
        return screening({ ...model, otp: { ...otp, isLive: false }, product: told.product ?? 'i1' })
      return stands ? { ...model, otp: { ...otp, wrong: otp.wrong + 1 } } : model
    }
    case 'resume_after_screening':
      return revealed(model)
    case 'wait_for_id_verification':
      if (model.session.status === 'VERIFIED') return approved(model)
      if (model.session.status === 'FAILED') return ended(model, 'reject')
      return model.session.status === 'ERROR' ? openSession(model) : model
    case 'alt_payment':
      return told.product === 'i1' ? approved({ ...model, product: 'i1' }) : model
    default:
      return model
  }
}

const submitted = (model: OrderModel, told: Extract<Act, { type: 'submit' }>): OrderModel => {
  if (told.wrongField !== null) return model
  if (model.stage === 'show_identification_form') return askingForCode({ ...model, person: told.who })
  return told.who === model.person ? byTheSame(model, told) : byAnother(model, told.who)
}

const paid = (model: OrderModel, { outcome, isOld }: Extract<Act, { type: 'pay' }>): OrderModel => {
  if (model.stage !== 'require_payment' || isOld || outcome === 'challenged') return model
  if (outcome === 'succeeded') return asking({ ...model, isPaid: true })
  const declined = model.declined + 1
  return declined < 5 ? opening({ ...model, declined }) : failed({ ...model, declined })
}

const merchantSaid = (model: OrderModel, { act }: Extract<Act, { type: 'merchant' }>): OrderModel => {
  const due =
    model.stage === 'wait_for_confirmation' ? 'confirmed' : model.stage === 'wait_for_on_hold' ? 'on_hold' : null
  if (due === null || act !== due) return model
  const { ipn } = model.script
  if (model.hasIpn && (ipn === 409 || ipn === 410)) return ended(model, 'show_conflict')
  return due === 'on_hold' ? held(model) : ended(model, 'finish')
}

const decided = (model: OrderModel, { act }: Extract<Act, { type: 'operator' }>): OrderModel => {
  if (model.stage !== 'show_on_hold') return model
  if (act === 'reject') return ended(model, 'reject')
  return act === 'approve' ? asking({ ...model, isUnderReview: false }) : model
}

// Asks the decider again, or sends the IPN again, and applies the answer.
const asked = (model: OrderModel): OrderModel => {
  const { screening: outcome, isOpening } = model.script
  switch (model.stage) {
    case 'wait_for_screening':
      return outcome === 'silent' ? { ...model, asksAt: NEVER } : { ...ended(model, 'resume_after_screening'), outcome }
    case 'wait_for_id_verification':
      return isOpening ? askedIdentity(model) : notOpened(model)
    case 'require_payment':
      return isOpening ? { ...model, asksAt: NEVER } : notOpened(model)
    case 'wait_for_confirmation':
    case 'wait_for_on_hold':
      return askedIpn(model)
    default:
      return { ...model, asksAt: NEVER }
  }
}

const timedOut = (model: OrderModel): OrderModel => {
  if (model.stage === 'wait_for_screening') return { ...ended(model, 'resume_after_screening'), outcome: 'expired' }
  if (model.stage === 'wait_for_confirmation') return failed(model)
  return model.session.status === 'VERIFIED' ? approved(model) : ended(model, 'reject')
}

const passed = (model: OrderModel, until: number): OrderModel => {
  const lifetime = model.wasHeld || ENDS.includes(model.stage) ? NEVER : LIFETIME
  const next = Math.min(model.asksAt, model.endsAt, lifetime)
  if (next > until) return { ...model, at: until }
  const now = { ...model, at: Math.max(model.at, next) }
  if (next === lifetime) return passed(failed(now), until)
  return passed(next === model.asksAt ? asked(now) : timedOut(now), until)
}

/** Applies an act, and then everything that is due at that instant. */
export const reduce = (model: OrderModel, told: Act): OrderModel => {
  const done = acted(model, told)
  return passed(done, done.at)
}

const acted = (model: OrderModel, told: Act): OrderModel => {
  switch (told.type) {
    case 'submit':
      return submitted(model, told)
    case 'pay':
      return paid(model, told)
    case 'verify':
      return model.stage === 'wait_for_id_verification' && model.session.status === 'STARTED'
        ? reported(model, told.status)
        : model
    case 'merchant':
      return merchantSaid(model, told)
    case 'operator':
      return decided(model, told)
    case 'script':
      return { ...model, script: { ...model.script, ...told.change } }
    case 'pass':
      return passed(model, model.at + told.millis)
    case 'poll':
    case 'echo':
      return model
  }
}
