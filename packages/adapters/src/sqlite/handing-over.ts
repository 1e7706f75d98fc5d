// Hands jobs that commits make due to the taker, and counts how many are on their way, so that the taker is not overloaded.
import type { Job, Store, Taker } from '@plazo/core'
import type { Offer } from './writer/making-due.ts'

export type HandingOver = {
  readonly handOver: Store['handOver']
  /** Call before a commit. `dueAts`: the due times of the effects that it could hand over. */
  readonly offer: (dueAts: readonly number[]) => Offered
}

/** For one commit. */
type Offered = {
  readonly offer: Offer | null
  /** Call after the commit. `entries`: the jobs handed over. `nextDueAt`: when a claim may find more; null: nothing more. */
  readonly ended: (entries: readonly Job[], nextDueAt: number | null) => void
}

export const handingOver = (): HandingOver => {
  let taker: Taker | null = null
  let underway = 0

  const offerOf = (to: Taker, dueAts: readonly number[]): Offer | null => {
    let offer: Offer | null = null
    for (const dueAt of dueAts) {
      const room: number = offer?.room ?? 0
      const request = to.request(underway + room)
      if (request === null) break
      if (dueAt <= request.at) offer = { ...request, room: room + 1 }
    }
    return offer
  }

  return {
    handOver: (next) => {
      taker = next
    },
    offer: (dueAts) => {
      const to = taker
      const offer = to && offerOf(to, dueAts)
      const room = offer?.room ?? 0
      underway += room
      return {
        offer,
        ended: (entries, nextDueAt) => {
          underway -= room
          if (entries.length > 0 || nextDueAt !== null) to?.take(entries, nextDueAt)
        },
      }
    },
  }
}
