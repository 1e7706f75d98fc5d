// A port answers with what went wrong. One that throws all the same has failed like any other: what else is due goes on.
import * as E from 'fp-ts/lib/Either.js'
import type { Lazy } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** `thrown`: for whoever mends it; it may be told in a shopper's own words. */
export type Thrown = { readonly thrown?: unknown }

export const thrownIn = (failure: Thrown): Thrown => ('thrown' in failure ? { thrown: failure.thrown } : {})

/** Whatever is thrown is `failure`. */
export const caught =
  <Failure extends object, A>(ask: Lazy<TaskEither<Failure, A>>, failure: Failure): TaskEither<Failure & Thrown, A> =>
  async () => {
    try {
      return await ask()()
    } catch (thrown) {
      return E.left({ ...failure, thrown })
    }
  }
