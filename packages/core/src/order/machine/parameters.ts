// Parameterised guards and actions of the statechart, such as `revoke` for a lane or `outcomeIs` for an outcome. They are
// typed: an unknown lane, outcome or status does not compile.

import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { RiskLevel } from '../../protocol/webhook-event.ts'
import type { EffectParams } from '../effects/effects.ts'
import type { FailureReason, ScreeningOutcome } from '../order-context.ts'

export const revoke = (lane: EffectParams<'revoke'>['lane']) => ({ type: 'revoke', params: { lane } }) as const

export const tellMerchant = (event: EffectParams<'tellMerchant'>['event']) =>
  ({ type: 'tellMerchant', params: { event } }) as const

export const fail = (reason: FailureReason) => ({ type: 'fail', params: { reason } }) as const

export const outcomeIs = (of: ScreeningOutcome) => ({ type: 'outcomeIs', params: { of } }) as const

export const sessionStatusIs = (status: SessionStatus) => ({ type: 'sessionStatusIs', params: { status } }) as const

export const riskIs = (level: RiskLevel) => ({ type: 'riskIs', params: { level } }) as const
