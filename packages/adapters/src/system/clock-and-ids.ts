// Time and timers as a parameter: the machine's own, or those of a simulation.
import type { Clock } from '@plazo/core'

export type CancelableTimer = { readonly cancel: () => void }

export type Timers = {
  /** Epoch milliseconds. Setting the machine's clock moves it, forward or back. */
  readonly realNow: () => number
  /** Milliseconds since an arbitrary instant. They never decrease. */
  readonly monotonicNow: () => number
  readonly after: (millis: number, call: () => void) => CancelableTimer
  /** Calls once the event loop has turned. */
  readonly soon: (call: () => void) => void
}

/**
 * Returns a clock that starts at the machine's current epoch milliseconds and then follows the monotonic clock. Setting the
 * machine's clock later neither ends nor extends what is measured with it.
 */
export const createSteadyClock = ({
  realNow,
  monotonicNow,
}: Pick<Timers, 'realNow' | 'monotonicNow'>): (() => number) => {
  const ahead = realNow() - monotonicNow()
  return () => Math.floor(ahead + monotonicNow())
}

export const systemTimers: Timers = {
  realNow: () => Date.now(),
  monotonicNow: () => performance.now(),
  after: (millis, call) => {
    const timer = setTimeout(call, millis)
    return { cancel: () => clearTimeout(timer) }
  },
  soon: (call) => void setImmediate(call),
}

/** The same for background work: these timers do not keep a process from ending. */
export const backgroundTimers: Timers = {
  ...systemTimers,
  after: (millis, call) => {
    const timer = setTimeout(call, millis).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}

/** The computer's own clock. */
export const systemClock: Clock = { now: () => Date.now() }
