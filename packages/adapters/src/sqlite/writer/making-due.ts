// What the calls of a commit make due: written as claimed where whoever takes it has room, and told with their answers.
import type { ClaimRequest } from '@plazo/core'

/** What he would ask a claim for, who takes what is made due; and how much of it he takes. */
export type Offer = Pick<ClaimRequest, 'at' | 'lease'> & { readonly room: number }

/** An effect that was written claimed: by the number of its call and its own in there. */
type Handed = { readonly call: number; readonly effect: number; readonly token: string }

/** `nextDueAt`: the instant from which a claim may find something more; null: nothing. */
export type MadeDue = { readonly handed: readonly Handed[]; readonly nextDueAt: number | null }

export type MakingDue = {
  /** As what a claim would take something that is due then; null: it is left to a claim. */
  readonly offer: (dueAt: number) => Pick<ClaimRequest, 'at' | 'lease'> | null
  /** `id`: of the row that was written claimed. */
  readonly hand: (id: number, handed: Handed) => void
  /** False: this commit has not handed it over. */
  readonly takeBack: (id: number) => boolean
  /** A claim may find something from then on; null: it does not. */
  readonly noteDue: (dueAt: number | null) => void
  /** Of the next commit, or of one that is undone and made again. */
  readonly begin: () => void
  /** Its call is undone. */
  readonly undo: (call: number) => void
  /** From now on. */
  readonly offering: (offer: Offer | null) => void
  readonly made: () => MadeDue
}

export const makingDue = (): MakingDue => {
  const handed = new Map<number, Handed>()
  let offered: Offer | null = null
  let nextDueAt: number | null = null

  return {
    offer: (dueAt) => (offered === null || handed.size >= offered.room || dueAt > offered.at ? null : offered),
    hand: (id, each) => {
      handed.set(id, each)
    },
    takeBack: (id) => handed.delete(id),
    noteDue: (dueAt) => {
      if (dueAt !== null) nextDueAt = Math.min(dueAt, nextDueAt ?? dueAt)
    },
    begin: () => {
      handed.clear()
      nextDueAt = null
    },
    undo: (call) => {
      for (const [id, each] of handed) if (each.call === call) handed.delete(id)
    },
    offering: (offer) => {
      offered = offer
    },
    made: () => ({ handed: [...handed.values()], nextDueAt }),
  }
}
