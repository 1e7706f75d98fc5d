// Records every committed step of a store, so that a test can compare the journal and the jobs with the steps.
import { type Decide, type FullStore, type Step, wasApplied } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

/** `onStep` is called after the commit. */
export const stepListeningStore = (store: FullStore, onStep: (step: Step) => void): FullStore => {
  const captureStep = <Err, A>(decide: Decide<Err, A>) => {
    let last: Step | null = null
    return {
      decide: ((order, referenceIsTaken) => {
        last = null
        const decided = decide(order, referenceIsTaken)
        if (E.isRight(decided)) last = decided.right.step
        return decided
      }) satisfies Decide<Err, A>,
      note: (): void => {
        if (last !== null && last.journal.length > 0) onStep(last)
      },
    }
  }
  return {
    ...store,
    place: (step, payload) => async () => {
      const placed = await store.place(step, payload)()
      if (E.isRight(placed)) onStep(step)
      return placed
    },
    step: (orderRef, decide) => async () => {
      const captured = captureStep(decide)
      const stepped = await store.step(orderRef, captured.decide)()
      if (E.isRight(stepped)) captured.note()
      return stepped
    },
    complete: (entry, completion) => async () => {
      const captured = completion.decide && captureStep(completion.decide)
      const settled = await store.complete(entry, { ...completion, decide: captured?.decide })()
      if (E.isRight(settled) && wasApplied(settled.right)) captured?.note()
      return settled
    },
  }
}
