// @plazo/adapters/system: time, timers and randomness as the computer has them.
export { systemClock } from './clock.ts'
export { systemIds } from './ids.ts'
export { type Pending, systemTimers, type Timers } from './timers.ts'
