// Turns a database error into the answer `Unavailable`, so that no caller has to catch it.
import { type Unavailable, unavailable } from '@plazo/core'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Also Left if `run` throws, for example because the database cannot be read. */
export const runOrUnavailable =
  <Err, A>(run: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
  async () => {
    try {
      return run()
    } catch (cause) {
      return unavailable(cause)
    }
  }
