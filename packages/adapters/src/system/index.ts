// @plazo/adapters/system: the computer's time, timers and randomness.
export { systemClock } from './clock.ts'
export { systemIds } from './ids.ts'
export { type CancelableTimer, systemTimers, type Timers } from './timers.ts'
