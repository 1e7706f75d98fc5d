// Runs acts as fast-check commands, in the model and in the harness. The harness must answer as the
// model predicts. Afterwards the harness's trace is checked against the invariants.
import fc from 'fast-check'
import type { PaymentUpdate } from '../../checkout/worker/record-provider-result.ts'
import { metaOf } from '../../order/model.ts'
import type { Order, OrderEvent } from '../../order/order.ts'
import { entriesOf } from '../trace/trace.ts'
import { fieldsOf } from '../trace/trace-queries.ts'
import { type Act, act, formatAct } from './actions.ts'
import { VISA } from './order-fixture.ts'
import { type HarnessOptions, type OrderHarness, OTHER_PERSON, PERSON } from './order-harness.ts'
import {
  identificationOf,
  newPrediction,
  type PredictedOrder,
  reduce,
  waitOf,
} from './predicted-order.ts'
import { HAPPY_PATH } from './provider-script.ts'

/** fast-check keeps one model object for a run, so each act replaces its content. */
export type ModelState = { model: PredictedOrder }

const formOf = (
  harness: OrderHarness,
  performed: Extract<Act, { type: 'submit' }>,
): Readonly<Record<string, unknown>> => {
  const { who, code, product, wrongField } = performed
  const last = harness.lastCode() ?? '00001'
  const codes = {
    none: undefined,
    last,
    wrong: last === '00000' ? '00001' : '00000',
    malformed: '1234x',
  }
  const count = product === 'pp3' ? 3 : 1
  return {
    ...(who === 'Ana' ? PERSON : OTHER_PERSON),
    ...(product === null ? {} : { credit_agreement: { product, instalment_count: count } }),
    ...(codes[code] === undefined ? {} : { validation_code: codes[code] }),
    ...(wrongField === null ? {} : { [wrongField]: '' }),
  }
}

const PAYMENT_UPDATES: {
  readonly [outcome in Extract<Act, { type: 'pay' }>['outcome']]: PaymentUpdate
} = {
  succeeded: { type: 'payment.succeeded', card: VISA, keep: true },
  failed: { type: 'payment.failed', reason: 'declined' },
  challenged: { type: 'payment.challenged', token: 'challenge', card: VISA, keep: false },
}

// An earlier answer that is no longer awaited. Answers about payments are left out: a late success
// is not an echo.
const earlierReply = (harness: OrderHarness, which: number): OrderEvent | null => {
  const answers = entriesOf(harness.trace(), 'step').flatMap(({ step }) =>
    step.journal.flatMap(({ input }) =>
      input !== null &&
      'inReplyTo' in input.event &&
      !input.event.type.startsWith('payment.') &&
      !staysPending(input.event)
        ? [input.event]
        : [],
    ),
  )
  return answers[which % Math.max(1, answers.length)] ?? null
}

// After these events the effect is still awaited, so repeating them is not an echo.
const staysPending = ({ type }: OrderEvent): boolean =>
  type === 'session.opened' || type === 'ipn.erred'

/**
 * Runs an act, and everything that is due then. Returns the action answered to a submission, or
 * else null.
 */
export const performAct = async (harness: OrderHarness, performed: Act): Promise<string | null> => {
  switch (performed.type) {
    case 'submit': {
      const response = await harness.submit(
        formOf(harness, performed),
        performed.wrongField === null ? [] : [performed.wrongField],
      )
      await harness.runDueJobs()
      return String(fieldsOf(response.body).action)
    }
    case 'poll':
      await harness.poll()
      return null
    case 'pay': {
      const { payments } = (await harness.order()).context
      const old = payments.findIndex(({ state }) => state === 'void' || state === 'failed')
      if (!performed.isOld) await harness.pay(PAYMENT_UPDATES[performed.outcome])
      else if (old >= 0) await harness.pay(PAYMENT_UPDATES[performed.outcome], old)
      break
    }
    case 'verify':
      await harness.verify(performed.status)
      break
    case 'merchant':
      await harness.merchantSays(performed.act)
      break
    case 'operator':
      await harness.operatorDoes(performed.act)
      break
    case 'script':
      harness.change(performed.change)
      break
    case 'pass':
      await harness.advance(performed.millis)
      return null
    case 'echo': {
      const event = earlierReply(harness, performed.which)
      if (event !== null) await harness.send(event)
      break
    }
  }
  await harness.runDueJobs()
  return null
}

const formatLines = (lines: readonly { readonly seq: number; readonly event: string }[]): string =>
  lines.map(({ seq, event }) => `${seq} ${event}`).join(', ')

/** The answers after an act: those of the second implementation, or those that an own model declares. */
const expectedAnswers = async (
  harness: OrderHarness,
  before: PredictedOrder,
  performed: Act,
  orderBefore: Order,
  stepsBefore: number,
) => {
  const { model } = harness.host.terms
  if (model === undefined)
    return {
      identification: identificationOf(before, performed),
      wait: waitOf(reduce(before, performed)) as string,
    }
  const wait = metaOf('checkout', (await harness.order()).state, model).wait
  // The submission is the first step of the act. What was due then follows.
  const [submitted] = entriesOf(harness.trace(), 'step').slice(stepsBefore)
  const { state } = submitted?.step.order ?? orderBefore
  return { identification: metaOf('checkout', state, model).identification, wait }
}

const command = (performed: Act): fc.AsyncCommand<ModelState, OrderHarness> => ({
  check: () => true,
  run: async (state, harness) => {
    const before = state.model
    const orderBefore = await harness.order()
    const stepsBefore = entriesOf(harness.trace(), 'step').length
    const response = await performAct(harness, performed)
    const expected = await expectedAnswers(harness, before, performed, orderBefore, stepsBefore)
    state.model = reduce(before, performed)
    // A refused form shows itself, in any state.
    const isForm = harness.host.terms.model !== undefined && response === 'show_identification_form'
    if (response !== null && !isForm && response !== expected.identification)
      throw new Error(
        `${formatAct(performed)} is answered ${response}, not ${expected.identification}.`,
      )
    const waitAction = String(fieldsOf((await harness.poll()).body).action)
    if (waitAction !== expected.wait)
      throw new Error(
        `After ${formatAct(performed)} wait answers ${waitAction}, not ${expected.wait}.`,
      )
    const [stored, traced] = [
      formatLines(await harness.journal()),
      formatLines(entriesOf(harness.trace(), 'line')),
    ]
    if (stored !== traced)
      throw new Error(
        `After ${formatAct(performed)} the store keeps the lines ${stored}, not ${traced}.`,
      )
  },
  toString: () => formatAct(performed),
})

/** Up to `maxCommands` acts on one order. After each act the answer of wait is checked. */
export const orderCommands = (maxCommands: number) =>
  fc.commands([act.map(command)], { maxCommands, size: 'max' })

/** The model of a harness whose order has just been placed. */
export const modelFor =
  ({ hasIpn = true }: HarnessOptions): (() => ModelState) =>
  () => ({ model: newPrediction(HAPPY_PATH, hasIpn) })
