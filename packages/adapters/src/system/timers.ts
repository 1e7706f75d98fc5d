// Real time, and calls that come later: the machine's own, or a simulation's.

export type Pending = { readonly cancel: () => void }

export type Timers = {
  /** Epoch milliseconds; whoever sets the machine's clock moves it, forward or back. */
  readonly realNow: () => number
  /** Milliseconds that only ever grow, from no instant in particular. */
  readonly monotonicNow: () => number
  readonly after: (millis: number, call: () => void) => Pending
  /** Once the event loop has turned. */
  readonly soon: (call: () => void) => void
}

/**
 * Epoch milliseconds as the machine's clock shows them now, and on from there as time goes by: whoever sets that clock
 * later neither ends nor extends what is measured.
 */
export const steadyFromNow = ({ realNow, monotonicNow }: Pick<Timers, 'realNow' | 'monotonicNow'>): (() => number) => {
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

/** The same for what nobody waits for: they do not keep a process from ending. */
export const backgroundTimers: Timers = {
  ...systemTimers,
  after: (millis, call) => {
    const timer = setTimeout(call, millis).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
