// The two forms of an error answer: a problem, or the sentences of the Order API. Contract §2.
import * as t from 'io-ts'
import { schemaName } from './json-schema.ts'
import { Count, exactObject, namedObject, Texts } from './scalars.ts'

/** A problem as RFC 9457 defines it. */
export const Problem = schemaName(
  'Problem',
  exactObject({
    type: t.string,
    title: t.string,
    status: Count,
    detail: t.string,
  }),
  'An error in the form of RFC 9457.',
)
export type Problem = t.TypeOf<typeof Problem>

/** The error answer of the Order API. Contract §2. */
export const OrderRefusal = namedObject('OrderRefusal', {
  errors: Texts,
})
export type OrderRefusal = t.TypeOf<typeof OrderRefusal>

/**
 * The answers of the health checks: the process is alive, and it is ready to serve. Contract §7.
 */
export const Alive = exactObject({ status: t.literal('alive') })

/** The answer of a server that can serve requests. */
export const Ready = exactObject({ status: t.literal('ready') })
