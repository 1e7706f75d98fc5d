// @plazo/adapters/system: the computer's time, timers and randomness.
export { type CancelableTimer, systemClock, systemIds, systemTimers, type Timers } from './clock-and-ids.ts'
