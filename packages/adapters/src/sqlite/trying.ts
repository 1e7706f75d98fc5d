// What the database cannot do now is an answer of its own.
import { type Unavailable, unavailable } from '@plazo/core'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Left too where the database cannot be asked. */
export const trying =
  <Err, A>(run: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
  async () => {
    try {
      return run()
    } catch (cause) {
      return unavailable(cause)
    }
  }
