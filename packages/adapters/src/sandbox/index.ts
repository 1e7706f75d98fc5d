// @plazo/adapters/sandbox: deciders that the service simulates itself, with a clock that can be moved.
export { type CardFields, type CardVerdict, checkCard, isCvc, TEST_CARDS } from './card-form.ts'
export { sandboxProviders } from './deciders.ts'
export { createTestClock, type TestClock } from './movable-clock.ts'
export type { SandboxMessage, SandboxStore } from './shelf.ts'
export { SANDBOX_CODE, TRIGGERS, type Trigger } from './triggers.ts'
