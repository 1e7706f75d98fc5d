// @plazo/adapters/system: the computer's time, timers and randomness, and the codes of its errors.
export {
  type CancelableTimer,
  systemClock,
  systemIds,
  systemTimers,
  type Timers,
} from './clock-and-ids.ts'
export { errorCodeOf } from './error-code.ts'
