// The computer's time, timers and randomness, which everything else gets as arguments, so that
// tests can use known values.
import type { Clock, Ids } from '@plazo/core/ports'

/** A timer that waits. To cancel one that has rung changes nothing. */
export type CancelableTimer = { readonly cancel: () => void }

/** Real time and timers as an argument, so that a test can move them. */
export type Timers = {
  /** Epoch milliseconds. Setting the machine's clock moves it, forward or back. */
  readonly realNow: () => number
  /** Milliseconds since an arbitrary instant. They never decrease. */
  readonly monotonicNow: () => number
  readonly after: (millis: number, call: () => void) => CancelableTimer
  /** Calls once the event loop has turned. */
  readonly soon: (call: () => void) => void
}

/** The timers of this process. A waiting timer keeps the process alive. */
export const systemTimers: Timers = {
  realNow: () => Date.now(),
  monotonicNow: () => performance.now(),
  after: (millis, call) => {
    const timer = setTimeout(call, millis)
    return { cancel: () => clearTimeout(timer) }
  },
  soon: (call) => void setImmediate(call),
}

/** The computer's own clock. */
export const systemClock: Clock = { now: () => Date.now() }

// Random bytes are drawn from the system in large blocks, because each call into the system costs
// more than the bytes do.
const pool = new Uint8Array(16_384)
let used = pool.length

/** Copy the bytes at once: later draws may overwrite them. */
export const drawBytes = (bytes: number): Uint8Array => {
  if (used + bytes > pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}

/** A number of 32 bits. */
export const drawNumber = (): number => {
  const { buffer, byteOffset } = drawBytes(4)
  return new DataView(buffer, byteOffset).getUint32(0)
}

// The characters of base64 for URLs. With 22 of them, a token has 132 random bits.
const TOKEN_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const TOKEN_LENGTH = 22
const CODES = 100_000

const drawToken = (): string => {
  let token = ''
  for (const byte of drawBytes(TOKEN_LENGTH)) token += TOKEN_CHARACTERS[byte & 63]
  return token
}

// Every code is equally likely: a number that would favour the low codes is drawn again.
const drawCode = (): string => {
  for (;;) {
    const number = drawNumber()
    if (number < Math.floor(2 ** 32 / CODES) * CODES) return String(number % CODES).padStart(5, '0')
  }
}

/** Uuids, codes and tokens from the system's source of randomness. */
export const systemIds: Ids = {
  orderRef: () => crypto.randomUUID(),
  random: () => ({ code: drawCode(), token: drawToken() }),
}
