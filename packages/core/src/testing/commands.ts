// Runs acts as fast-check commands, in the model and in the world. The world must answer as the model predicts. Afterwards
// the world's trace is checked against the invariants.
import fc from 'fast-check'
import type { PaymentNews } from '../checkout/record-payment.ts'
import type { OrderEvent } from '../order/order-event.ts'
import { type Act, act, toldAs } from './act.ts'
import { identificationOf, newModel, type OrderModel, reduce, waitOf } from './order-model.ts'
import { fieldsOf } from './reading.ts'
import { WILLING } from './script.ts'
import { VISA } from './told-order.ts'
import { seenOf } from './trace.ts'
import { PERSON, type Setting, SOMEBODY_ELSE, type World } from './world.ts'

/** fast-check keeps one model object for a run, so each act replaces its content. */
export type Told = { model: OrderModel }

const formOf = (world: World, told: Extract<Act, { type: 'submit' }>): Readonly<Record<string, unknown>> => {
  const { who, code, product, wrongField } = told
  const last = world.lastCode() ?? '00001'
  const codes = { none: undefined, last, wrong: last === '00000' ? '00001' : '00000', malformed: '1234x' }
  const count = product === 'pp3' ? 3 : 1
  return {
    ...(who === 'Ana' ? PERSON : SOMEBODY_ELSE),
    ...(product === null ? {} : { credit_agreement: { product, instalment_count: count } }),
    ...(codes[code] === undefined ? {} : { validation_code: codes[code] }),
    ...(wrongField === null ? {} : { [wrongField]: '' }),
  }
}

const NEWS: { readonly [outcome in Extract<Act, { type: 'pay' }>['outcome']]: PaymentNews } = {
  succeeded: { type: 'payment.succeeded', card: VISA, keep: true },
  failed: { type: 'payment.failed', reason: 'declined' },
  challenged: { type: 'payment.challenged', token: 'challenge', card: VISA, keep: false },
}

// An earlier answer that is no longer awaited. Answers about payments are left out: a late success is not an echo.
const echoOf = (world: World, which: number): OrderEvent | null => {
  const answers = seenOf(world.trace(), 'step').flatMap(({ made }) =>
    made.journal.flatMap(({ input }) =>
      input !== null && 'answers' in input.event && !input.event.type.startsWith('payment.') && !isAwaited(input.event)
        ? [input.event]
        : [],
    ),
  )
  return answers[which % Math.max(1, answers.length)] ?? null
}

// After these events the effect is still awaited, so repeating them is not an echo.
const isAwaited = ({ type }: OrderEvent): boolean => type === 'session.opened' || type === 'ipn.erred'

/** Runs an act, and everything that is due then. Returns the action answered to a submission, or else null. */
export const carryOutAct = async (world: World, told: Act): Promise<string | null> => {
  switch (told.type) {
    case 'submit': {
      const answered = await world.submit(formOf(world, told), told.wrongField === null ? [] : [told.wrongField])
      await world.settle()
      return String(fieldsOf(answered.body).action)
    }
    case 'poll':
      await world.poll()
      return null
    case 'pay': {
      const { payments } = (await world.order()).context
      const old = payments.findIndex(({ state }) => state === 'void' || state === 'failed')
      if (!told.isOld) await world.pay(NEWS[told.outcome])
      else if (old >= 0) await world.pay(NEWS[told.outcome], old)
      break
    }
    case 'verify':
      await world.verify(told.status)
      break
    case 'merchant':
      await world.merchantSays(told.act)
      break
    case 'operator':
      await world.operatorDoes(told.act)
      break
    case 'script':
      world.change(told.change)
      break
    case 'pass':
      await world.pass(told.millis)
      return null
    case 'echo': {
      const event = echoOf(world, told.which)
      if (event !== null) await world.tell(event)
      break
    }
  }
  await world.settle()
  return null
}

const listed = (lines: readonly { readonly seq: number; readonly event: string }[]): string =>
  lines.map(({ seq, event }) => `${seq} ${event}`).join(', ')

const command = (told: Act): fc.AsyncCommand<Told, World> => ({
  check: () => true,
  run: async (known, world) => {
    const before = known.model
    known.model = reduce(before, told)
    const answered = await carryOutAct(world, told)
    const wanted = identificationOf(before, told)
    if (answered !== null && answered !== wanted)
      throw new Error(`${toldAs(told)} is answered ${answered}, not ${wanted}.`)
    const waits = String(fieldsOf((await world.poll()).body).action)
    if (waits !== waitOf(known.model))
      throw new Error(`After ${toldAs(told)} wait answers ${waits}, not ${waitOf(known.model)}.`)
    const [kept, made] = [listed(await world.journal()), listed(seenOf(world.trace(), 'line'))]
    if (kept !== made) throw new Error(`After ${toldAs(told)} the store keeps the lines ${kept}, not ${made}.`)
  },
  toString: () => toldAs(told),
})

/** Up to `maxCommands` acts on one order. After each act the answer of wait is checked. */
export const orderCommands = (maxCommands: number) => fc.commands([act.map(command)], { maxCommands, size: 'max' })

/** The model of a world whose order has just been placed. */
export const modelFor =
  ({ hasIpn = true }: Setting): (() => Told) =>
  () => ({ model: newModel(WILLING, hasIpn) })
