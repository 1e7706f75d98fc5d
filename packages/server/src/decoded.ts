// Decodes the contents of a request with their codecs, and turns the first error into a problem.
import { isNestedTooDeeply } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import { type RequestError, requestError } from './problem.ts'

const shown = (given: unknown): string =>
  isNestedTooDeeply(given) ? 'nested too deeply to be shown' : JSON.stringify(given ?? null).slice(0, 80)

export const wrong = (name: string, given: unknown, wanted: string): RequestError =>
  requestError(400, `${name} is ${shown(given)}, but must be ${wanted}.`)

export const decoded = <A>(codec: t.Decoder<unknown, A>, given: unknown): E.Either<RequestError, A> =>
  pipe(
    codec.decode(given),
    E.mapLeft(([first]) => {
      const { key = '', type } = first?.context.at(-1) ?? {}
      return wrong(key === '' ? 'The body' : key, first?.value, type?.name ?? 'something else')
    }),
  )
