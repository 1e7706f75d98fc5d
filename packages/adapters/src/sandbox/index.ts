// @plazo/adapters/sandbox: simulates the providers, with a clock that can be moved, so that a checkout
// runs without any other service.
//
// ```ts
// import { checkCard, SANDBOX_CODE, TEST_CARDS, triggerOf } from '@plazo/adapters/sandbox'
//
// console.log(triggerOf('review event').path.at(-1)) // show_on_hold
// const [card] = TEST_CARDS
// const fields = { number: card?.number ?? '', expiry: '12/40', cvc: '123' }
// console.log(checkCard(fields, Date.now()), SANDBOX_CODE)
// ```

export {
  type CardFields,
  type CardVerdict,
  checkCard,
  isCvc,
  passesLuhn,
  TEST_CARDS,
} from './card-form.ts'
export { listMessages, type SandboxMessage, sandboxProviders } from './providers.ts'
export { createTestClock, type TestClock } from './test-clock.ts'
export { SANDBOX_CODE, TRIGGERS, type Trigger, triggerOf } from './triggers.ts'
