// A store that the simulation observes: the story tells each step when it is decided, and the counts show
// that a run reaches every state.
import type { Decide, FullStore } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { WorldState } from './world-state.ts'

export const observedStore = (
  { eventLog, numbers }: WorldState,
  plant: (store: FullStore) => FullStore,
): ((store: FullStore) => FullStore) => {
  const observe =
    <Err, A>(decide: Decide<Err, A>): Decide<Err, A> =>
    (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      if (E.isRight(decided)) {
        const number = numbers.get(order.placed.orderRef) ?? null
        const { step } = decided.right
        for (const { event, from, to } of step.journal) {
          eventLog.log(
            number,
            `${event}: ${from.checkout} ${from.risk} ${from.cancellation} → ${to.checkout} ${to.risk} ${to.cancellation}`,
          )
          if (from.checkout !== to.checkout) eventLog.count('states reached', to.checkout)
          if (from.risk !== to.risk) eventLog.count('risk', to.risk)
          if (from.cancellation !== to.cancellation) eventLog.count('cancellation', to.cancellation)
        }
      }
      return decided
    }

  return (store) => {
    const planted = plant(store)
    return {
      ...planted,
      place: (placement, payload) => {
        const { orderRef, returnUrl } = placement.order.placed
        numbers.set(orderRef, Number(new URL(returnUrl).pathname.split('/').at(-1)))
        return planted.place(placement, payload)
      },
      step: (orderRef, decide) => planted.step(orderRef, observe(decide)),
      complete: (entry, completion) => {
        const { result, decide } = completion
        eventLog.count('settled', result.type === 'finished' ? result.status : 'retry')
        return planted.complete(entry, { ...completion, decide: decide && observe(decide) })
      },
    }
  }
}
