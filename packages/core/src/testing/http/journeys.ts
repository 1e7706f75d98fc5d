// Journeys of an order over HTTP, in the role of shopper, shop and operator. Each answer is
// followed until the order needs nothing more.
import fc from 'fast-check'
import type { FormRules } from '../../protocol/identification-form.ts'
import { PERSON } from '../harness/order-harness.ts'
import { invalidIdentification } from '../identification-arbitraries.ts'
import type { OperatorAction } from '../trace/trace.ts'
import { fieldsOf } from '../trace/trace-queries.ts'
import { ALTERNATIVE, type Participants, takeTurn } from './participants.ts'
import type { RemoteOrder } from './remote-order.ts'

/**
 * What shopper, shop and operator do with one order. An absent member means that they do the usual.
 */
export type Journey = {
  readonly name: string
  /** The surnames by which a sandbox selects its behaviour. */
  readonly surnames?: string
  readonly product?: 'i1' | 'pp3' | 'sp1' | 'fp1'
  readonly cards?: readonly Readonly<Record<string, string>>[]
  readonly review?: Extract<OperatorAction['act'], 'approve' | 'reject'>
  /** The merchant reduces the confirmed order by an Order Update. */
  readonly isReduced?: boolean
  /** The operator's act on a confirmed order. */
  readonly operatorAct?: Extract<OperatorAction['act'], 'request-cancellation' | 'cancel'>
  /** The merchant's answers to the IPN and to events. */
  readonly ipn?: number
  readonly events?: { readonly status: number; readonly body?: string }
  /** How many seconds the order is observed after the journey's last act. */
  readonly afterSeconds?: number
}

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }
const DECLINED = { ...CARD, number: '4000000000000002' }
const CHALLENGED = { ...CARD, number: '4000000000003220' }
const AGREED = { status: 200, body: '{"result":"cancelled"}' }

/** All journeys that `conform` takes. Together they reach every action of the interface. */
export const JOURNEYS: readonly Journey[] = [
  { name: 'pay later' },
  { name: 'paid by card at the second try', product: 'fp1', cards: [DECLINED, CARD] },
  { name: 'paid by 3-D Secure', product: 'pp3', cards: [CHALLENGED] },
  { name: 'refused by the merchant, and refunded', product: 'sp1', ipn: 409 },
  { name: 'reviewed and approved', surnames: 'review event', review: 'approve' },
  { name: 'reviewed and rejected', surnames: 'review event', review: 'reject' },
  { name: 'the merchant is down', ipn: 503, afterSeconds: 60 },
  { name: 'a hold that is not confirmed', surnames: 'review event', ipn: 500, afterSeconds: 10 },
  { name: 'denied', surnames: 'denial event', events: { status: 500 }, afterSeconds: 90 },
  { name: 'another agreement', surnames: 'alternative event' },
  { name: 'verified', surnames: 'verification event' },
  { name: 'not verified', surnames: 'unverified event' },
  { name: 'screening expires', surnames: 'expiry event' },
  { name: 'screening fails', surnames: 'failure event' },
  { name: 'high risk', surnames: 'highrisk event', product: 'fp1' },
  { name: 'evaluated', surnames: 'evaluation event', product: 'fp1', afterSeconds: 61 },
  {
    name: 'cancelled when asked',
    surnames: 'cancellation event',
    events: AGREED,
    afterSeconds: 20,
  },
  {
    name: 'asked again, and too late',
    operatorAct: 'request-cancellation',
    events: { status: 200, body: '{"result":"retry","retry_in":5}' },
    afterSeconds: 301,
  },
  {
    name: 'reduced, and then cancelled',
    product: 'fp1',
    isReduced: true,
    operatorAct: 'cancel',
    afterSeconds: 1,
  },
]

const STEPS_MAX = 40
const FORMS_WRONG = 4

/** The form of a journey's shopper. */
const formOf = (
  { surnames, product = 'i1' }: Journey,
  privacyField: string,
): Readonly<Record<string, unknown>> => {
  const { service_privacy_policy_accepted: accepted, ...person } = PERSON
  return {
    ...person,
    surnames: surnames ?? person.surnames,
    [privacyField]: accepted,
    credit_agreement: { product, instalment_count: product === 'pp3' || product === 'sp1' ? 3 : 1 },
  }
}

/** Everybody on this journey. `tries`: how many payments were made before. */
const participantsOf = (
  order: RemoteOrder,
  journey: Journey,
  form: Readonly<Record<string, unknown>>,
  tries: number,
): Participants => ({
  submitForm: () => order.submit(form),
  submitCode: async () => {
    const code = order.code()
    if (code === null) return false
    await order.submit({ ...form, validation_code: code === '00000' ? '00001' : '00000' })
    await order.submit({ ...form, validation_code: '1234x' })
    return order.submit({ ...form, validation_code: code })
  },
  takeAlternative: () => order.submit({ ...form, ...ALTERNATIVE }),
  awaitScreening: () => order.advance(journey.surnames === 'expiry event' ? 20 : 1),
  verifyIdentity: () => order.advance(2),
  pay: ({ iframe_url }) => {
    const cards = journey.cards ?? [CARD]
    return order.pay(String(iframe_url), cards[Math.min(tries, cards.length - 1)] ?? CARD)
  },
  confirm: async (state) => !order.hasIpn && order.merchantSays(state),
  decide: async () =>
    journey.review !== undefined && order.hasOperator && order.operatorDoes(journey.review),
})

/** Leads an order to the end of the journey, and polls it often, as a frontend does. */
export const runJourney = async (
  order: RemoteOrder,
  journey: Journey,
  rules: FormRules,
  seed: number,
): Promise<void> => {
  const form = formOf(journey, rules.privacyField)
  for (const { body, wrongFields } of fc.sample(invalidIdentification(rules), {
    numRuns: FORMS_WRONG,
    seed,
  })) {
    await order.poll()
    await order.submit(body, wrongFields)
    await order.poll()
  }
  let tries = 0
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    await order.poll()
    const answer = fieldsOf((await order.poll()).body)
    if (!(await takeTurn(participantsOf(order, journey, form, tries), answer))) break
    if (answer.action === 'require_payment') tries += 1
  }
  if (journey.isReduced === true) await order.merchantReduces()
  if (journey.operatorAct !== undefined && order.hasOperator)
    await order.operatorDoes(journey.operatorAct)
  await order.advance(journey.afterSeconds ?? 0)
  // A submission must not change an order that has ended.
  await order.submit(form)
  const { action } = fieldsOf((await order.poll()).body)
  // Nor may a merchant who confirms once more, unsure of the answer.
  if (action === 'finish' && journey === JOURNEYS[0]) await order.merchantSays('confirmed')
}
