// Hands nothing over, and tells of every commit that may have made something due.
import type { Step, Store, Taker, Unavailable } from '@plazo/core'
import * as TE from 'fp-ts/lib/TaskEither.js'

const firstDue = ({ effects }: Step): number | null => {
  const dues = effects.flatMap((effect) => (effect.type === 'do' ? effect.dueAt : []))
  return dues.length === 0 ? null : Math.min(...dues)
}

export const telling = <Own extends object>(store: Own & Omit<Store, 'handOver'>): Own & Store => {
  let taker: Taker | null = null
  const { deliveries } = store

  const thenTell = <Err, A>(
    task: TE.TaskEither<Err | Unavailable, A>,
    nextDueAt: number | null = Number.NEGATIVE_INFINITY,
  ): TE.TaskEither<Err | Unavailable, A> => TE.tapIO(task, () => () => taker?.take([], nextDueAt))

  return {
    ...store,
    handOver: (next) => {
      taker = next
    },
    place: (step, payload) => thenTell(store.place(step, payload), firstDue(step)),
    step: (orderRef, decide) => thenTell(store.step(orderRef, decide)),
    settle: (entry, conclusion, decide, report) => thenTell(store.settle(entry, conclusion, decide, report)),
    release: (entries) => thenTell(store.release(entries)),
    unpark: (key, at) => thenTell(store.unpark(key, at)),
    deliveries: {
      ...deliveries,
      resend: (merchantRef, id, at) => thenTell(deliveries.resend(merchantRef, id, at)),
      recover: (request) => thenTell(deliveries.recover(request)),
    },
  }
}
