// Performs acts on the order of a harness, so that one list of acts is a whole history that another
// store, setting or splitting of time can repeat.
import type { PaymentUpdate } from '../../checkout/worker/record-provider-result.ts'
import type { OrderEvent } from '../../order/order.ts'
import { entriesOf } from '../trace/trace.ts'
import type { Act } from './actions.ts'
import { VISA } from './order-fixture.ts'
import { type OrderHarness, OTHER_PERSON, PERSON } from './order-harness.ts'

const formOf = (
  harness: OrderHarness,
  { who, code, product, wrongField }: Extract<Act, { type: 'submit' }>,
): Readonly<Record<string, unknown>> => {
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
// is not an echo. After the other two the effect is still awaited.
const earlierReply = (harness: OrderHarness, which: number): OrderEvent | null => {
  const answers = entriesOf(harness.trace(), 'step').flatMap(({ step }) =>
    step.journal.flatMap(({ input }) =>
      input !== null &&
      'inReplyTo' in input.event &&
      !/^(payment\.|session\.opened|ipn\.erred)/.test(input.event.type)
        ? [input.event]
        : [],
    ),
  )
  return answers[which % Math.max(1, answers.length)] ?? null
}

/** Performs an act, and runs everything that is due then. */
export const performAct = async (harness: OrderHarness, performed: Act): Promise<void> => {
  switch (performed.type) {
    case 'submit': {
      const wrongFields = performed.wrongField === null ? [] : [performed.wrongField]
      await harness.submit(formOf(harness, performed), wrongFields)
      break
    }
    case 'poll':
      await harness.poll()
      return
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
      return
    case 'echo': {
      const event = earlierReply(harness, performed.which)
      if (event !== null) await harness.send(event)
      break
    }
  }
  await harness.runDueJobs()
}
