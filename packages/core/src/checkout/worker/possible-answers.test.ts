// Explores orders with the pure halves alone, as a page without a store does: forms, effects, and the
// events that may answer them.
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import type { DoEffect } from '../../order/effects/effect.ts'
import { orderMachine } from '../../order/machine/order-machine.ts'
import { restingStates } from '../../order/model.ts'
import { step } from '../../order/step.ts'
import { CODE, firstStep, PLACED_AT, SHOPPER, TERMS } from '../../testing/harness/order-fixture.ts'
import { submissionStep } from '../shopper/submit-identification.ts'
import { possibleAnswers, sampleEvents } from './possible-answers.ts'

const ANA = { ...SHOPPER, surnames: 'Prueba Ensayo', service_privacy_policy_accepted: true }
const PARTS = { credit_agreement: { product: 'pp3', instalment_count: 3 } }
const FORMS = [ANA, { ...ANA, ...PARTS }].flatMap((form) => [
  form,
  { ...form, validation_code: CODE },
])

const right = <A>(result: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

it('the possible answers and the forms lead an order through every state that they decide about', () => {
  const placed = firstStep()
  const open = [{ order: placed.order, effects: placed.effects, at: PLACED_AT }]
  const explored = new Set<string>()
  for (let next = open.shift(); next !== undefined && explored.size < 2_000; next = open.shift()) {
    const { order, effects, at } = next
    const { pending, agreement, screening } = order.context
    const key = JSON.stringify([
      order.state,
      Object.keys(pending).sort(),
      agreement,
      screening.outcome,
    ])
    if (explored.has(key)) continue
    explored.add(key)
    const stepInput = {
      at: at + 40_000,
      random: { code: CODE, token: 'token' },
      referenceIsTaken: false,
    }
    const requests = effects.filter((effect): effect is DoEffect => effect.type === 'do')
    const events = requests.flatMap((effect) => possibleAnswers(effect))
    const steps = [
      ...events.map((event) => right(step(TERMS)(order, event, stepInput))),
      ...FORMS.map((form) => right(submissionStep(TERMS)(order, form, stepInput)).step),
    ]
    for (const { order: after, effects: added } of steps)
      if (after !== order)
        open.push({ order: after, effects: [...effects, ...added], at: stepInput.at })
  }
  const states = new Set([...explored].map((text) => JSON.parse(text)[0].checkout))
  const others = ['cancelled'] // by the operator, or by an update of the merchant
  expect([...states, ...others].sort()).toEqual([...restingStates('checkout')].sort())
})

it('the sample events are one or more of every type that the machine handles by a client’s or a provider’s act', () => {
  const raised = ['order.confirmed', 'lifetime.ended']
  const sampled = new Set<string>(sampleEvents.map(({ type }) => type))
  expect(orderMachine.events.filter((type) => !sampled.has(type)).sort()).toEqual(raised.sort())
})
