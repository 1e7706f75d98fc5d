// A store that the simulation observes: it checks each step when it is decided, and records the response of each attempt for
// the invariants.
import { type AttemptResult, type Decide, outcomeOf, type Report, type Store } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { stepLaws } from './step-laws.ts'
import type { Story } from './story.ts'
import type { Witness } from './witness.ts'

type WatchedStoreParts = {
  readonly story: Story
  readonly witness: Witness
  /** Each order's number, by its uuid. Orders are added when they are placed. */
  readonly numbers: Map<string, number>
  readonly violated: Story['violated']
  readonly wallNow: () => number
  readonly plant: (own: Store) => Store
}

export const watchedStore = (parts: WatchedStoreParts): ((own: Store) => Store) => {
  const { story, witness, numbers, violated, wallNow, plant } = parts

  const watched =
    <Err, A>(decide: Decide<Err, A>): Decide<Err, A> =>
    (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      if (E.isRight(decided)) {
        const number = numbers.get(order.placed.orderRef) ?? null
        const { step } = decided.right
        witness.step(order, step)
        for (const { law, sentence } of stepLaws(order, step)) violated(law, number, sentence)
        for (const { event, from, to } of step.journal) {
          story.tell(
            number,
            `${event}: ${from.checkout} ${from.risk} ${from.cancellation} → ${to.checkout} ${to.risk} ${to.cancellation}`,
          )
          if (from.checkout !== to.checkout) story.count('states reached', to.checkout)
          if (from.risk !== to.risk) story.count('risk', to.risk)
          if (from.cancellation !== to.cancellation) story.count('cancellation', to.cancellation)
        }
      }
      return decided
    }

  // A response counts only once it is stored. Otherwise the process died, or the lease has passed on.
  const heardOf = (
    entry: Parameters<Store['complete']>[0],
    conclusion: AttemptResult,
    report: Report | null,
    settling: ReturnType<Store['complete']>,
  ): ReturnType<Store['complete']> => {
    const { orderRef, key } = entry
    const n = witness.attemptsOf(key)
    if (report === null || n === 0) return settling
    return async () => {
      const at = wallNow()
      const noted = [
        witness.note(orderRef, { part: 'heard', at, key, n, status: report.status, body: report.response }, true),
        witness.note(orderRef, { part: 'judged', at, key, n, outcome: outcomeOf(conclusion) }, true),
      ]
      const settled = await settling()
      for (const each of noted) each.isDoubtful = E.isLeft(settled) || settled.right === 'lost'
      return settled
    }
  }

  return (own) => {
    const planted = plant(own)
    return {
      ...planted,
      place: (made, payload) => {
        const { orderRef, returnUrl } = made.order.placed
        numbers.set(orderRef, Number(new URL(returnUrl).pathname.split('/').at(-1)))
        witness.step(null, made)
        return planted.place(made, payload)
      },
      step: (orderRef, decide) => planted.step(orderRef, watched(decide)),
      complete: (entry, conclusion, decide, report) => {
        story.count('settled', conclusion.type === 'ended' ? conclusion.as : 'again')
        return heardOf(
          entry,
          conclusion,
          report,
          planted.complete(entry, conclusion, decide === null ? null : watched(decide), report),
        )
      },
    }
  }
}
