// @plazo/adapters/system: the computer's time, timers and randomness, and the codes of its errors. Core
// has none of them.
//
// ```ts
// import { systemClock, systemIds, systemTimers } from '@plazo/adapters/system'
//
// console.log(new Date(systemClock.now()).toISOString())
// console.log(systemIds.orderRef(), systemIds.random().code)
// const timer = systemTimers.after(60_000, () => console.log('a minute later'))
// timer.cancel()
// ```

export { systemClock, systemIds, systemTimers } from './clock-and-ids.ts'
