// Lists of orders and of deliveries are asked for and paged in one way, so that each has its members
// once: for the document and for reading them.
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { invalidValue } from '../http/request.ts'
import { type Parameters, query } from '../http/route.ts'

/** The members of a query: what each means, and how it is read. */
type Members = Readonly<Record<string, readonly [description: string, codec: t.Mixed]>>

export const parametersOf = (all: Members): Parameters =>
  R.map(([description, schema]: Members[string]) => query(description, { schema }))(all)

/** Reads the members that are given. */
export const codecOf = <const A extends Members>(all: A) =>
  t.partial(
    // `map` does not keep the codec of each name.
    R.map(([, codec]: Members[string]) => codec)(all) as {
      readonly [name in keyof A]: A[name][1]
    },
  )

/** The members of a query that say something. Browsers send every field of a form. */
const givenIn = (c: Context): Readonly<Record<string, string>> =>
  R.filter((value: string) => value.trim() !== '')(c.req.query())

/**
 * Like `givenIn`, for a list that knows only these names. Throws a `HandlerError` for another name,
 * because a misspelt filter would list everything. Contract §3.
 */
export const textsIn = (c: Context, known: Members): Readonly<Record<string, string>> => {
  for (const name of new URL(c.req.url).searchParams.keys())
    if (!Object.hasOwn(known, name))
      throw invalidValue('A parameter', name, `one of ${Object.keys(known).join(', ')}`)
  return givenIn(c)
}

/**
 * A page of a list. `next`: where the next one begins, for a link that clients follow as it is. RFC
 * 8288.
 */
export const answerPage = (
  c: Context,
  url: string,
  page: readonly object[],
  next: Readonly<Record<string, string>> | null,
): Response => {
  const link = `<${url}?${new URLSearchParams({ ...givenIn(c), ...next })}>; rel="next"`
  return c.json(page, 200, next === null ? {} : { link })
}
