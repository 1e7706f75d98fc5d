// Who takes what commits make due, and how much of it is on its way to him.
import type { Entry, Store, Taker } from '@plazo/core'
import type { Offer } from './writer/making-due.ts'

export type HandingOver = {
  readonly handOver: Store['handOver']
  /** To a commit that makes effects which could be handed over, due then. */
  readonly offer: (dueAts: readonly number[]) => Offered
}

/** One commit's. */
type Offered = {
  readonly offer: Offer | null
  /** The commit is over: what it has handed over, and from when a claim may find something more; null: nothing. */
  readonly ended: (entries: readonly Entry[], nextDueAt: number | null) => void
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
