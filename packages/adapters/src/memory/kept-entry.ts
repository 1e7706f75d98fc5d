// An effect as the memory store keeps it, and of a delivery every attempt.
import type { AskedTrigger, Attempt, Effect, Outcome, Report, Trigger, WorkClass } from '@plazo/core'
import type { StoredState } from '../rows/delivery-state.ts'

export type DoEffect = Extract<Effect, { readonly type: 'do' }>

export type KeptEntry = {
  /** Counts all entries of a store in the order they came. */
  readonly id: number
  readonly effect: DoEffect
  readonly orderRef: string
  readonly merchantRef: string
  /** Merchants of one account share what may be in flight. */
  readonly account: string
  /** Under which smaller share it is in flight, if it is. */
  share: number | null
  readonly kind: WorkClass
  readonly madeAt: number
  /** The ended delivery that this one sends once more, in no lane of the order's. */
  readonly resendOf: KeptEntry | null
  readonly made: Attempt[]
  /** Who asked for the next attempt, if anybody did. */
  cause: AskedTrigger | null
  state: StoredState
  dueAt: number
  /** How many have begun. */
  attempts: number
  /** The number of the one in flight. */
  attempt: number
  firstAt: number | null
  token: string | null
  leaseUntil: number
  isWithdrawn: boolean
  message: string | null
}

export const isUnfinished = ({ state }: KeptEntry): boolean =>
  state === 'queued' || state === 'pending' || state === 'claimed'

/** The delivery itself, where this entry only sends it again. */
export const deliveryOf = (entry: KeptEntry): KeptEntry => entry.resendOf ?? entry

export const beginAttempt = (entry: KeptEntry, trigger: Trigger, startedAt: number): void => {
  const known = { durationMillis: null, status: null, error: null, response: null }
  deliveryOf(entry).made.push({ n: entry.attempt, trigger, startedAt, outcome: null, ...known })
}

/** Completes the one in flight. */
export const completeAttempt = (entry: KeptEntry, outcome: Outcome, report: Report | null): void => {
  const { made } = deliveryOf(entry)
  const index = made.findIndex(({ n }) => n === entry.attempt)
  const begun = made[index]
  if (begun !== undefined) made[index] = { ...begun, ...report, outcome }
}

/** As if it had never been claimed. */
export const unclaim = (entry: KeptEntry): void => {
  const delivery = deliveryOf(entry)
  const index = delivery.made.findIndex(({ n }) => n === entry.attempt)
  const [begun] = index < 0 ? [] : delivery.made.splice(index, 1)
  // Of two attempts at once the later one keeps its number.
  if (delivery.attempts === entry.attempt) delivery.attempts -= 1
  if (entry.resendOf !== null) return
  if (delivery.attempts === 0) entry.firstAt = null
  if (begun !== undefined && begun.trigger !== 'schedule') entry.cause ??= begun.trigger
}
