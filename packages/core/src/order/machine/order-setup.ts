// The vocabulary of the statechart: its guards (conditions), its assignments (changes of the
// context) and the names of its effects. The regions refer to them only by name; effects.ts turns
// effects into data.
import { raise, setup } from 'xstate'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { RiskLevel } from '../../protocol/webhook-event.ts'
import { type EffectName, type EffectParams, effects } from '../effects/effects.ts'
import type { FailureReason, ScreeningOutcome } from '../order-context.ts'
import { LIMITS } from '../terms.ts'
import { assignments } from './assignments.ts'
import { guards } from './guards.ts'
import type { MachineContext, MachineEvent } from './machine-context.ts'
import type { CheckoutMeta, StateMeta } from './state-meta.ts'

// The machine only names its effects; the step makes them. `fromEntries` does not know the names.
const effectActions = Object.fromEntries(
  Object.keys(effects).map((name) => [name, () => {}]),
) as unknown as {
  readonly [Name in EffectName]: (scope: unknown, params: EffectParams<Name>) => void
}

const setupWith = <Meta extends StateMeta>() =>
  setup({
    types: {
      context: {} as MachineContext,
      input: {} as MachineContext,
      events: {} as MachineEvent,
      meta: {} as Meta,
    },
    guards,
    actions: {
      ...assignments,
      ...effectActions,
      announceConfirmation: raise({ type: 'order.confirmed' }),
      announceEndOfLifetime: raise({ type: 'lifetime.ended' }),
    },
    delays: {
      checkoutLifetime: ({ context }) => context.rules.checkoutLifetime,
      screeningWindow: ({ context }) => context.rules.screeningWindow,
      idResult: () => LIMITS.idResult,
      cancelDelay: ({ context }) => context.cancelDelay,
    },
  })

export const orderSetup = setupWith<StateMeta>()

/** Makes states of the checkout. */
export const checkoutSetup = setupWith<CheckoutMeta>()

// Guards and actions with parameters. They are typed: an unknown lane, outcome or status does not
// compile.
export const revoke = (lane: EffectParams<'revoke'>['lane']) =>
  ({ type: 'revoke', params: { lane } }) as const
export const tellMerchant = (event: EffectParams<'tellMerchant'>['event']) =>
  ({ type: 'tellMerchant', params: { event } }) as const
export const fail = (reason: FailureReason) => ({ type: 'fail', params: { reason } }) as const
export const outcomeIs = (of: ScreeningOutcome) => ({ type: 'outcomeIs', params: { of } }) as const
export const sessionStatusIs = (status: SessionStatus) =>
  ({ type: 'sessionStatusIs', params: { status } }) as const
export const riskIs = (level: RiskLevel) => ({ type: 'riskIs', params: { level } }) as const
