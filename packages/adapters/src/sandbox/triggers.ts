// The sandbox's triggers: surnames of a shopper that determine what the providers answer, and each
// one's path. Sandbox rules, Triggers and Codes.

import {
  comparableName,
  type RiskLevel,
  type Screened,
  type SessionStatus,
} from '@plazo/core/internal'

/** Accepted wherever the code that was sent would be accepted. */
export const SANDBOX_CODE = '12345'

/** What the providers answer for a shopper of these surnames, and where the order goes. */
export type Trigger = {
  /** Matched regardless of upper and lower case. */
  readonly surnames: string
  /** The answers of the wait endpoint, from identification to the end. */
  readonly path: readonly string[]
  readonly note: string
  /** `null`: screening never resolves. */
  readonly screened: Screened | null
  /**
   * The status with which an ID session ends by itself, 2 s after it opened. `null`: it waits for a
   * posted status.
   */
  readonly session: Exclude<SessionStatus, 'ERROR'> | null
  readonly risk: RiskLevel
  readonly cancels: boolean
}

const approved: Screened = { outcome: 'approved', alternative: null }
// Every path begins with these.
const START = [
  'show_identification_form',
  'require_validate_otp',
  'wait_for_screening',
  'resume_after_screening',
]
const CONFIRMED = ['wait_for_confirmation', 'finish']

const trigger = (
  surnames: string,
  note: string,
  path: readonly string[],
  overrides: Partial<Trigger> = {},
): Trigger => ({
  surnames,
  note,
  path: [...START, ...path],
  screened: approved,
  session: null,
  risk: 'low_risk',
  cancels: false,
  ...overrides,
})

const outcome = (of: Screened['outcome']): Partial<Trigger> => ({
  screened: { outcome: of, alternative: null },
})

/** Without a trigger: approved after 1 s, and the risk of an fp1 order is low_risk. */
const NO_TRIGGER: Trigger = trigger('', 'approved after 1 s', CONFIRMED)

/**
 * All surnames that change what the sandbox's providers do, in the order in which pages list them.
 * Sandbox rules, Triggers.
 */
export const TRIGGERS: readonly Trigger[] = [
  trigger(
    'review event',
    'on hold, until an operator decides',
    ['wait_for_on_hold', 'show_on_hold'],
    outcome('review'),
  ),
  trigger('denial event', 'denied', ['reject'], outcome('denied')),
  trigger('alternative event', 'i1 is offered instead', ['alt_payment', ...CONFIRMED], {
    screened: {
      outcome: 'alternative',
      alternative: { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 },
    },
  }),
  trigger(
    'verification event',
    'ID verification, VERIFIED after 2 s',
    ['wait_for_id_verification', ...CONFIRMED],
    { ...outcome('identity'), session: 'VERIFIED' },
  ),
  trigger(
    'unverified event',
    'ID verification, FAILED after 2 s',
    ['wait_for_id_verification', 'reject'],
    {
      ...outcome('identity'),
      session: 'FAILED',
    },
  ),
  trigger(
    'identity event',
    'ID verification that waits for a status posted to its session_url',
    ['wait_for_id_verification'],
    outcome('identity'),
  ),
  trigger('expiry event', 'screening never resolves, and expires', [], { screened: null }),
  trigger('failure event', 'screening fails', ['show_error'], outcome('error')),
  trigger('lowrisk event', 'an fp1 order: low_risk', ['require_payment', ...CONFIRMED]),
  trigger('highrisk event', 'an fp1 order: high_risk', ['require_payment', ...CONFIRMED], {
    risk: 'high_risk',
  }),
  trigger(
    'evaluation event',
    'an fp1 order: under_evaluation, then low_risk after 60 s',
    ['require_payment', ...CONFIRMED],
    { risk: 'under_evaluation' },
  ),
  trigger(
    'cancellation event',
    'the merchant is asked to cancel (dob_day - 1) * 10 s after confirmation',
    CONFIRMED,
    { cancels: true },
  ),
]

/**
 * The trigger with these surnames, in upper or lower case. Any others get the trigger by which
 * everything succeeds.
 */
export const triggerOf = (surnames: string): Trigger =>
  TRIGGERS.find((each) => each.surnames === comparableName(surnames)) ?? NO_TRIGGER
