// @plazo/adapters/system: the computer's time, timers and randomness.

export { systemIds } from './random.ts'
export { type CancelableTimer, systemClock, systemTimers, type Timers } from './timers.ts'
