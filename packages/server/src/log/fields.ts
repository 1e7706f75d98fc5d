// Limits what a log line may hold, field by field. Each field writes its value in a form that leaves no room for text from
// outside, and omits a value that does not fit.
import type { Unavailable } from '@plazo/core'
import type { Mode } from '../config.ts'
import { type ErrorSummary, summarizeError } from './error-summary.ts'
import { loggableReason } from './reason.ts'

type FormattedValue = string | number | ErrorSummary | undefined
type Field<A> = (value: A) => FormattedValue

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

const matching =
  (pattern: RegExp): Field<string | null> =>
  (text) =>
    text !== null && pattern.test(text) ? text : undefined

const oneOf =
  <const Word extends string>(...words: readonly Word[]): Field<Word> =>
  (word) =>
    words.includes(word) ? word : undefined

const number: Field<number> = (given) => (Number.isFinite(given) ? Math.round(given) : undefined)

const FIELDS = {
  mode: oneOf<Mode>('sandbox', 'production'),
  order_ref: matching(new RegExp(`^${UUID}$`)),
  /** A job's key: `<order_ref>:<revision>:<lane>`. */
  key: matching(new RegExp(`^${UUID}:\\d+:[\\w.:-]{1,80}$`)),
  merchant_ref: matching(/^[\w.-]{1,64}$/),
  method: (method: string): FormattedValue => (METHODS.has(method) ? method : 'another'),
  /** The route's pattern, like `/pay/:uuid/:token`; null if no route matches. */
  route: matching(/^(?:\/|(?:\/[\w:.{}^[\]+*-]+)+)$/),
  status: number,
  duration_ms: number,
  days: number,
  count: number,
  limit: oneOf('checkout_submissions', 'checkout_polls', 'checkout_metadata', 'address_submissions', 'logins'),
  signal: oneOf('SIGTERM', 'SIGINT'),
  /** The answer shows it too, so that the answer leads to the log line. */
  fault: matching(/^[0-9a-f]{8}$/),
  reason: (failure: string | Unavailable | null): FormattedValue =>
    failure === null ? undefined : loggableReason(failure),
  thrown: (cause: unknown): FormattedValue => summarizeError(cause),
} as const

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])

export type FieldName = keyof typeof FIELDS
export type FieldValue<Name extends FieldName> = Parameters<(typeof FIELDS)[Name]>[0]

/** The fields as they are logged. A thrown error becomes three fields. */
export const formatFields = (
  fields: Readonly<Partial<Record<FieldName, unknown>>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (Object.keys(fields) as FieldName[]).flatMap((name): readonly (readonly [string, unknown])[] => {
      const value = (FIELDS[name] as Field<unknown> | undefined)?.(fields[name])
      return typeof value === 'object' ? Object.entries(value) : [[name, value]]
    }),
  )
