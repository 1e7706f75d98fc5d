// Every part of the store may return this error in place of a result.
import * as E from 'fp-ts/lib/Either.js'
import { errorMessage } from '../order/error-message.ts'

/** The store cannot be reached or is overloaded. Nothing was written. */
export type Unavailable = { readonly _tag: 'Unavailable'; readonly message: string }

export const unavailable = (thrown: unknown): E.Either<Unavailable, never> =>
  E.left({ _tag: 'Unavailable', message: errorMessage(thrown) })
