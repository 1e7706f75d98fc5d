// Collects the jobs that the calls of a commit make due. If the taker has room, they are written as claimed and handed over
// with the answers, which saves a separate claim.
import type { ClaimRequest } from '@plazo/core'

/** The taker's claim request, and how many jobs it takes. */
export type Offer = Pick<ClaimRequest, 'at' | 'lease'> & { readonly room: number }

/** An effect that was written as claimed. `call`: the number of its call. `effect`: its number within the call. */
type Handed = { readonly call: number; readonly effect: number; readonly token: string }

/** `nextDueAt`: when a claim may find more jobs. Null: it finds no more. */
export type MadeDue = { readonly handed: readonly Handed[]; readonly nextDueAt: number | null }

export type MakingDue = {
  /** The request under which a job that is due at `dueAt` may be handed over. Null: it is left to a claim. */
  readonly offer: (dueAt: number) => Pick<ClaimRequest, 'at' | 'lease'> | null
  /** `id`: the number of the row that was written as claimed. */
  readonly hand: (id: number, handed: Handed) => void
  /** Cancels a handover of this commit. False: the commit does not hand this job over. */
  readonly takeBack: (id: number) => boolean
  /** A claim may find a job from this time on. Null: it does not. */
  readonly noteDue: (dueAt: number | null) => void
  /** Call at the start of a commit, and when one is rolled back and run again. */
  readonly begin: () => void
  /** Call when a call of the commit was rolled back. */
  readonly undo: (call: number) => void
  /** Sets the offer that applies from now on. */
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
