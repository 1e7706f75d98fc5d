import type { Store } from '@plazo/core/ports'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Runs one operation on a store that it opens. */
type RunOperation = <Err, A>(operate: (store: Store) => TaskEither<Err, A>) => TaskEither<Err, A>

/** A store with the required operations only, each of them run by `run`. */
export const storeThrough = (run: RunOperation): Store => ({
  place: (...args) => run((store) => store.place(...args)),
  read: (...args) => run((store) => store.read(...args)),
  findByReference: (...args) => run((store) => store.findByReference(...args)),
  journal: (...args) => run((store) => store.journal(...args)),
  step: (orderRef, decide) => run((store) => store.step(orderRef, decide)),
  claim: (...args) => run((store) => store.claim(...args)),
  complete: (...args) => run((store) => store.complete(...args)),
  release: (...args) => run((store) => store.release(...args)),
  nextDueAt: (...args) => run((store) => store.nextDueAt(...args)),
  stuckJobs: () => run((store) => store.stuckJobs()),
  retryStuckJob: (...args) => run((store) => store.retryStuckJob(...args)),
})
