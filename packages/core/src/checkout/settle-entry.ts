// Writes what carrying out an effect came to, together with the step it causes.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { step } from '../order/step.ts'
import type { Entry, Settled } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { type Host, momentOf } from './host.ts'
import type { Result } from './result.ts'

export const settleEntry =
  (host: Host) =>
  (entry: Entry, { event, conclusion, report }: Result): TaskEither<Unavailable, Settled> =>
    host.store.settle(
      entry,
      conclusion,
      event === null
        ? null
        : (order, referenceIsTaken) =>
            pipe(
              step(host.terms)(order, event, momentOf(host, referenceIsTaken)),
              E.map((made) => ({ step: made, answer: null })),
            ),
      report,
    )
