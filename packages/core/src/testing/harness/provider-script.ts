// Providers and a merchant that follow a script. A test can change the script at any time.
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpResponse } from '../../delivery/attempt.ts'
import { laneOfKey } from '../../order/effects/effect.ts'
import type { ScreeningOutcome } from '../../order/order-context.ts'
import type { MerchantGateway } from '../../ports/merchant-gateway.ts'
import { type Providers, reply, retryLater } from '../../ports/providers.ts'
import type { SavedCard, SessionStatus } from '../../protocol/provider-answer.ts'
import type { RiskLevel } from '../../protocol/webhook-event.ts'

const SECOND = 1000
const DAY = 24 * 3600 * SECOND

/** The behaviour of everybody around the order from now on. */
export type Script = {
  /** The outcome, after one second. `silent`: there is never an outcome. */
  readonly screening: Exclude<ScreeningOutcome, 'expired'> | 'silent'
  /**
   * The result of the ID session. `waits`: the result depends on what the shopper does on the
   * session's page.
   */
  readonly identity: Exclude<SessionStatus, 'ERROR'> | 'waits'
  readonly risk: RiskLevel
  /** Milliseconds after which the risk service advises to cancel the order; null if it does not. */
  readonly watch: number | null
  /**
   * The status of the merchant's answer; null: no answer. `puts`: the merchant confirms by `PUT`
   * during the call.
   */
  readonly ipn: number | null | 'puts'
  readonly event: number | null
  readonly cancel: { readonly status: number; readonly body: string } | null
  readonly cards: readonly SavedCard[]
  /** True if payment pages and ID sessions can be opened. */
  readonly isOpening: boolean
}

/** A script by which everybody agrees. */
export const HAPPY_PATH: Script = {
  screening: 'approved',
  identity: 'VERIFIED',
  risk: 'low_risk',
  watch: null,
  ipn: 200,
  event: 200,
  cancel: { status: 200, body: '{"result":"cancelled"}' },
  cards: [],
  isOpening: true,
}

const notOpening = TE.left({
  _tag: 'ProviderError' as const,
  reason: 'other' as const,
  message: 'closed',
})

/** Providers that answer as the script says at that moment. */
export const scriptedProviders = (script: () => Script): Providers => ({
  screening: {
    screen: ({ firstAt, at: now }) => {
      const { screening } = script()
      if (screening === 'silent') return TE.right(retryLater(DAY))
      if (now - firstAt < SECOND) return TE.right(retryLater(firstAt + SECOND - now))
      const alternative =
        screening === 'alternative'
          ? { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 }
          : null
      return TE.right(reply({ outcome: screening, alternative }))
    },
  },
  sms: { send: () => TE.right(reply(null)) },
  identity: {
    open: ({ firstAt, at: now }) => {
      const { identity, isOpening } = script()
      if (!isOpening) return notOpening
      if (identity === 'waits')
        return TE.right(reply({ type: 'opened' as const, url: 'http://id.test' }))
      return TE.right(
        now - firstAt < 2 * SECOND
          ? retryLater(firstAt + 2 * SECOND - now)
          : reply({ type: 'reported' as const, status: identity }),
      )
    },
  },
  payments: {
    open: () => (script().isOpening ? TE.right(reply({ url: 'http://pay.test' })) : notOpening),
    void: () => TE.right(reply(null)),
    refund: () => TE.right(reply(null)),
    recall: () => TE.right(reply(script().cards)),
    keep: () => TE.right(reply(null)),
  },
  risk: {
    assess: ({ payload, firstAt, at: now }) =>
      TE.right(
        !payload.underEvaluation
          ? reply(script().risk)
          : now - firstAt < 60 * SECOND
            ? retryLater(firstAt + 60 * SECOND - now)
            : reply(script().risk),
      ),
    watch: () => {
      const { watch } = script()
      return TE.right(reply(watch === null ? null : { cancelIn: watch }))
    },
  },
})

const httpResponse = (status: number, body: string | null = ''): HttpResponse => ({
  status,
  retryAfter: null,
  body,
})
const unreachable = TE.left({
  _tag: 'RequestFailure' as const,
  error: 'connection_refused' as const,
  message: 'down',
})

/**
 * A gateway to a merchant who answers as the script says at that moment. `putState`: called during
 * a request if the merchant confirms or holds the order by `PUT`.
 */
export const scriptedGateway = (
  script: () => Script,
  putState: (state: 'confirmed' | 'on_hold') => Promise<unknown>,
): MerchantGateway => ({
  post:
    ({ id, body }) =>
    async () => {
      const { ipn, event, cancel } = script()
      const lane = laneOfKey(id)
      if (lane === 'cancel')
        return cancel === null ? unreachable() : E.right(httpResponse(cancel.status, cancel.body))
      if (lane !== 'ipn') return event === null ? unreachable() : E.right(httpResponse(event))
      if (ipn === null) return unreachable()
      if (ipn !== 'puts') return E.right(httpResponse(ipn))
      await putState(body.includes('needs_review') ? 'on_hold' : 'confirmed')
      return E.right(httpResponse(503))
    },
})
