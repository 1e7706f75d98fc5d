// Lists of orders and of deliveries are asked for and paged in one way, so that each has its members
// once: for the document and for reading them.
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
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
export const givenIn = (c: Context): Readonly<Record<string, string>> =>
  R.filter((value: string) => value.trim() !== '')(c.req.query())

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
