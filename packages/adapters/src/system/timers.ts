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

export const systemTimers: Timers = {
  realNow: () => Date.now(),
  monotonicNow: () => performance.now(),
  after: (millis, call) => {
    const timer = setTimeout(call, millis)
    return { cancel: () => clearTimeout(timer) }
  },
  soon: (call) => void setImmediate(call),
}
