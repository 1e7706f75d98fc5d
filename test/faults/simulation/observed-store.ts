// A store that the simulation observes: it records each step when it is decided, and the response
// of each attempt, for the invariants.
import { type Completion, type Decide, type FullStore, outcomeOf } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TraceCollector } from './trace-collector.ts'
import type { WorldState } from './world-state.ts'

type ObservedStoreParts = {
  readonly traceCollector: TraceCollector
  readonly wallNow: () => number
  readonly plant: (store: FullStore) => FullStore
}

export const observedStore = (
  { eventLog, numbers }: WorldState,
  { traceCollector, wallNow, plant }: ObservedStoreParts,
): ((store: FullStore) => FullStore) => {
  const observe =
    <Err, A>(decide: Decide<Err, A>): Decide<Err, A> =>
    (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      if (E.isRight(decided)) {
        const number = numbers.get(order.placed.orderRef) ?? null
        const { step } = decided.right
        traceCollector.step(order, step)
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

  // A response counts only once it is stored. Otherwise the process died.
  const recordResponse = (
    entry: Parameters<FullStore['complete']>[0],
    { result, report }: Completion,
    settling: ReturnType<FullStore['complete']>,
  ): ReturnType<FullStore['complete']> => {
    const { orderRef, key } = entry
    const n = traceCollector.attemptsOf(key)
    if (report === undefined || n === 0) return settling
    return async () => {
      const at = wallNow()
      const entries = [
        traceCollector.collect(
          orderRef,
          { part: 'answer', at, key, n, status: report.status, body: report.response },
          true,
        ),
        traceCollector.collect(
          orderRef,
          { part: 'outcome', at, key, n, outcome: outcomeOf(result) },
          true,
        ),
      ]
      const settled = await settling()
      for (const each of entries) each.isDoubtful = E.isLeft(settled) || settled.right === 'lost'
      return settled
    }
  }

  return (store) => {
    const planted = plant(store)
    return {
      ...planted,
      place: (placement, payload) => {
        const { orderRef, returnUrl } = placement.order.placed
        numbers.set(orderRef, Number(new URL(returnUrl).pathname.split('/').at(-1)))
        traceCollector.step(null, placement)
        return planted.place(placement, payload)
      },
      step: (orderRef, decide) => planted.step(orderRef, observe(decide)),
      complete: (entry, completion) => {
        const { result, decide } = completion
        eventLog.count('settled', result.type === 'finished' ? result.status : 'retry')
        return recordResponse(
          entry,
          completion,
          planted.complete(entry, { ...completion, decide: decide && observe(decide) }),
        )
      },
    }
  }
}
