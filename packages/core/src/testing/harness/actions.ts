// The acts that anybody may perform on an order, as data, so that fast-check shrinks a history that
// breaks an invariant to the few acts that matter.
import fc from 'fast-check'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { MerchantAction, OperatorAction } from '../trace/trace.ts'
import { VISA } from './order-fixture.ts'
import type { Script } from './provider-script.ts'

/** One act of the shopper, the merchant, an operator, a provider or the clock, as data. */
export type Act =
  | {
      readonly type: 'submit'
      /** Two people share the order. Each counts as another person than the other. */
      readonly who: 'Ana' | 'Eva'
      /** `last`: the code of the last message, valid or not. */
      readonly code: 'none' | 'last' | 'wrong' | 'malformed'
      readonly product: 'i1' | 'pp3' | 'fp1' | null
      /** The field that is wrong; null if the form is right. */
      readonly wrongField: string | null
    }
  | { readonly type: 'poll' }
  | {
      readonly type: 'pay'
      readonly outcome: 'succeeded' | 'failed' | 'challenged'
      readonly isOld: boolean
    }
  | { readonly type: 'verify'; readonly status: SessionStatus }
  | { readonly type: 'merchant'; readonly act: MerchantAction['act'] }
  | { readonly type: 'operator'; readonly act: OperatorAction['act'] }
  | { readonly type: 'script'; readonly change: Partial<Script> }
  | { readonly type: 'pass'; readonly millis: number }
  /** Repeats an earlier answer, or fires a timer that is no longer armed. */
  | { readonly type: 'echo'; readonly which: number }

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const change: fc.Arbitrary<Partial<Script>> = fc.oneof(
  fc.record({
    screening: fc.constantFrom<Script['screening']>(
      ...(['approved', 'review', 'alternative', 'identity', 'denied', 'error', 'silent'] as const),
    ),
  }),
  fc.record({ identity: fc.constantFrom<Script['identity']>('VERIFIED', 'FAILED', 'waits') }),
  fc.record({ risk: fc.constantFrom<Script['risk']>('low_risk', 'high_risk', 'under_evaluation') }),
  fc.record({ watch: fc.constantFrom(null, 0, MINUTE) }),
  fc.record({ cards: fc.constantFrom([], [VISA]) }),
  fc.record({ isOpening: fc.boolean() }),
  fc.record({ ipn: fc.constantFrom<Script['ipn']>(200, 204, 409, 410, 503, null, 'puts') }),
  fc.record({ event: fc.constantFrom(200, 404, 500, 204, null) }),
  fc.record({
    cancel: fc.constantFrom(
      null,
      { status: 200, body: '{"result":"cancelled"}' },
      { status: 302, body: '{"result":"toolate","late_by":12}' },
      { status: 200, body: '{"result":"retry","retry_in":5}' },
      { status: 200, body: '{"result":"retry","retry_in":1441}' },
      { status: 501, body: '{"error":"unknown event cancel"}' },
      { status: 404, body: '{"result":"cancelled"}' },
      { status: 200, body: 'yes' },
    ),
  }),
)

const submit: fc.Arbitrary<Act> = fc.record({
  type: fc.constant('submit' as const),
  who: fc.constantFrom('Ana', 'Ana', 'Ana', 'Ana', 'Ana', 'Ana', 'Ana', 'Eva'),
  code: fc.constantFrom('last', 'last', 'last', 'none', 'none', 'wrong', 'malformed'),
  product: fc.constantFrom('i1', 'i1', 'pp3', 'fp1', null),
  wrongField: fc.constantFrom(
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    'nin',
    'dob_day',
    'city',
  ),
})

/** Any act. Acts that move the order on are more frequent. */
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: submit },
  { weight: 2, arbitrary: fc.constant<Act>({ type: 'poll' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('pay' as const),
      outcome: fc.constantFrom('succeeded', 'succeeded', 'failed', 'challenged'),
      isOld: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('verify' as const),
      status: fc.constantFrom('VERIFIED', 'VERIFIED', 'FAILED', 'ERROR'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('merchant' as const),
      act: fc.constantFrom(
        'confirmed',
        'on_hold',
        'cancelled',
        'references',
        'updated',
        'reduced',
        'reduced',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('operator' as const),
      act: fc.constantFrom(
        'approve',
        'approve',
        'reject',
        'request-cancellation',
        'request-cancellation',
        'cancel',
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('script' as const), change }) },
  {
    weight: 7,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      millis: fc.constantFrom(
        500,
        SECOND,
        2 * SECOND,
        2 * SECOND,
        5 * SECOND,
        31 * SECOND,
        MINUTE,
        6 * MINUTE,
        7 * HOUR,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('echo' as const), which: fc.nat(1000) }) },
)
