// Makes one delivery attempt as the dispatcher does: the gateway calls over a real socket, and core
// evaluates the response.
import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { type EffectResult, executeEffect } from '@plazo/core'
import type { EventName, Job, MerchantGateway } from '@plazo/core/ports'
import { FORM_CONTENT_TYPE } from '@plazo/core/protocol'
import { expect } from 'vitest'
import { aGateway } from '../../harness/raw-merchant.ts'

/** The time at which every attempt begins and ends. The domain's clock stands still. */
const FIRST = Date.UTC(2026, 0, 5, 12)

type Attempt = {
  readonly url: string
  readonly event?: EventName | 'ipn'
  readonly gateway?: MerchantGateway
}

const entryFor = ({ url, event = 'denied' }: Attempt): Job => {
  const request = {
    url,
    contentType: FORM_CONTENT_TYPE,
    body: `charset=UTF-8&utf8=%E2%88%9A&event=${event}`,
  }
  const lane = event === 'ipn' ? 'ipn' : 'lane'
  return {
    key: `order:2:${lane}`,
    orderRef: 'order',
    merchantRef: 'demo',
    lane,
    payload:
      event === 'ipn'
        ? { kind: 'ipn', state: 'approved', ...request }
        : { kind: 'event', event, ...request },
    expiresAt: null,
    attempt: 1,
    isResend: false,
    firstAt: FIRST,
    startedAt: FIRST,
    token: 'token',
  }
}

export const attempt = (input: Attempt): Promise<EffectResult> => {
  const { gateway = aGateway() } = input
  return executeEffect(
    { providers: sandboxProviders(memoryRecords()), gateway, clock: { now: () => FIRST } },
    0,
  )(entryFor(input))()
}

/** An error: the order gets no event. The next attempt is due at the second slot. */
export const erredAttempt = (error: string) => ({
  event: null,
  attemptResult: { type: 'retry', dueAt: FIRST + 10_000 },
  error: expect.objectContaining(
    error.startsWith('answered ')
      ? { reason: 'answered', status: Number(error.slice(9)) }
      : { reason: error },
  ),
})

/** A finished delivery for which the order gets no event. */
export const DELIVERED = {
  event: null,
  attemptResult: { type: 'finished', status: 'delivered' },
  error: null,
}

/** A cancel request that the merchant has agreed to. */
export const AGREED = {
  event: { inReplyTo: 'order:2:lane', type: 'cancel.agreed' },
  attemptResult: { type: 'finished', status: 'delivered' },
}
