// Ports return their errors. If a port throws instead, this turns it into an ordinary failure, so that other due work goes on.
import * as E from 'fp-ts/lib/Either.js'
import type { Lazy } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** `thrown`: the thrown value, for debugging. It may contain a shopper's data. */
export type Thrown = { readonly thrown?: unknown }

export const thrownField = (failure: Thrown): Thrown => ('thrown' in failure ? { thrown: failure.thrown } : {})

/** Returns `failure`, with the thrown value, if `ask` throws. */
export const catchThrown =
  <Failure extends object, A>(call: Lazy<TaskEither<Failure, A>>, failure: Failure): TaskEither<Failure & Thrown, A> =>
  async () => {
    try {
      return await call()()
    } catch (thrown) {
      return E.left({ ...failure, thrown })
    }
  }
