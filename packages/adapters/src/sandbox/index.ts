// @plazo/adapters/sandbox: deciders that the service simulates itself, with a clock that can be moved.
export { type CardFields, type CardVerdict, isCvc, judgeCard, TEST_CARDS } from './card-form.ts'
export { sandboxDeciders } from './deciders.ts'
export { type MovableClock, movableClock } from './movable-clock.ts'
export type { SandboxMessage, SandboxShelf } from './shelf.ts'
export { SANDBOX_CODE, TRIGGERS, type Trigger } from './triggers.ts'
