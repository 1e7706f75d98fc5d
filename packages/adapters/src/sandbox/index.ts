// @plazo/adapters/sandbox: providers that the service simulates itself, with a clock that can be moved.
export {
  type CardFields,
  type CardVerdict,
  checkCard,
  isCvc,
  passesLuhn,
  TEST_CARDS,
} from './card-form.ts'
export { listMessages, type SandboxMessage } from './messages.ts'
export { sandboxProviders } from './providers.ts'
export { createTestClock, type TestClock } from './test-clock.ts'
export { SANDBOX_CODE, TRIGGERS, type Trigger, triggerOf } from './triggers.ts'
