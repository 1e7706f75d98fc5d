// The log is a closed set of events, each with its own sentence and its allowed fields. Free text cannot be logged, so that no
// name, code, card or secret gets in.
import type { AttemptError, Job, Unavailable } from '@plazo/core'
import { type DestinationStream, pino } from 'pino'
import type { Mode } from '../config.ts'
import { type ErrorSummary, summarizeError } from './error-summary.ts'
import { loggableReason } from './reason.ts'

// Bytes that wait for the next line that can be written; anything beyond is lost.
const BUFFERED_BYTES_MAX = 2 ** 20

/**
 * Keeps a log that cannot be written (its disk is full, its reader is gone) from stopping the server. pino's own destination,
 * but it ignores errors and omits pino's last flush, which would retry forever.
 */
export const logOutput = (fd: number): DestinationStream => {
  const output = pino.destination({ dest: fd, sync: true, maxLength: BUFFERED_BYTES_MAX })
  output.on('error', () => {})
  return { write: (line) => void output.write(line) }
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

type EventDefinition = {
  readonly level: Level
  readonly message: string
  readonly fields: readonly FieldName[]
  /** Requires an operator. Contract §6. */
  readonly isAlert?: true
}

const JOB_FIELDS = ['key', 'order_ref', 'merchant_ref'] as const

const EVENTS = {
  started: { level: 'info', message: 'plazo is listening', fields: ['mode'] },
  awaiting_database: { level: 'warn', message: 'the database does not answer yet; waiting for it', fields: [] },
  unencrypted: {
    level: 'warn',
    message: 'BASE_URL is not https: the links for shoppers are not encrypted',
    fields: [],
  },
  console_open: {
    level: 'warn',
    message: 'OPERATOR_PASSWORD is the sandbox’s default, so anybody can sign in to the console',
    fields: [],
  },
  stopping: { level: 'info', message: 'plazo is stopping and finishes the work in flight', fields: ['signal'] },
  stopped: { level: 'info', message: 'plazo has stopped', fields: [] },
  crashed: { level: 'fatal', message: 'uncaught error, shutting down', fields: ['thrown'] },
  warned: { level: 'warn', message: 'warning from the runtime', fields: ['thrown'] },

  requested: { level: 'trace', message: 'request received', fields: ['method'] },
  answered: {
    level: 'debug',
    message: 'request answered',
    fields: ['method', 'route', 'order_ref', 'status', 'duration_ms'],
  },
  limited: { level: 'debug', message: 'request refused: too many of its kind within a minute', fields: ['limit'] },
  crowded: { level: 'warn', message: 'connections refused: too many are open', fields: ['count'] },

  fault: { level: 'error', message: 'internal error', fields: ['fault', 'thrown'] },
  unavailable: { level: 'error', message: 'the database does not answer', fields: ['reason'] },
  available: { level: 'info', message: 'the database answers again', fields: ['duration_ms'] },

  entry_failed: { level: 'warn', message: 'attempt failed', fields: [...JOB_FIELDS, 'reason'] },
  entry_faulted: { level: 'warn', message: 'attempt failed with an internal error', fields: [...JOB_FIELDS, 'thrown'] },
  settled: { level: 'debug', message: 'attempt finished', fields: JOB_FIELDS },

  deliveries_dropped: {
    level: 'info',
    message: 'deleted finished deliveries that were past their retention',
    fields: ['count'],
  },
  journals_dropped: {
    level: 'info',
    message: 'deleted journals of finished orders that were past their retention',
    fields: ['count'],
  },
  nothing_dropped: { level: 'warn', message: 'could not delete what is past its retention', fields: ['reason'] },

  sockets_limited: {
    level: 'warn',
    message: 'this process may open too few files for WEBHOOK_SOCKETS; fewer deliveries are in flight at a time',
    fields: ['count'],
  },

  slow_merchants: {
    level: 'warn',
    message: 'merchants have not answered in time for a minute; their own deliveries wait; check their endpoints',
    fields: ['count', 'merchant_ref'],
    isAlert: true,
  },
  stuck: {
    level: 'error',
    message: 'could not apply the reply to the order; job is stuck',
    fields: JOB_FIELDS,
    isAlert: true,
  },
  exhausted: {
    level: 'error',
    message: 'gave up after the last attempt',
    fields: [...JOB_FIELDS, 'reason'],
    isAlert: true,
  },
  failing: {
    level: 'error',
    message: 'still failing after a week; retries continue',
    fields: [...JOB_FIELDS, 'reason'],
    isAlert: true,
  },
  unsupported: {
    level: 'warn',
    message: 'the merchant does not support cancel, or has no events URL; cancel on the console, or ask again',
    fields: JOB_FIELDS,
    isAlert: true,
  },
  toolate_without_minutes: {
    level: 'warn',
    message: 'the merchant answered toolate without the minutes',
    fields: JOB_FIELDS,
    isAlert: true,
  },
  cancel_waiting: {
    level: 'warn',
    message: 'the merchant has not decided on a cancel request for more than a week; decide on the console',
    fields: [...JOB_FIELDS, 'days'],
    isAlert: true,
  },
} as const satisfies Readonly<Record<string, EventDefinition>>

export type LogEvent = keyof typeof EVENTS

export const LOG_EVENTS: readonly { readonly name: LogEvent; readonly fields: readonly FieldName[] }[] = (
  Object.keys(EVENTS) as LogEvent[]
).map((name) => ({ name, fields: EVENTS[name].fields }))

type FieldsOf<Name extends LogEvent> = {
  readonly [Own in (typeof EVENTS)[Name]['fields'][number]]?: FieldValue<Own>
}

export type Log = <Name extends LogEvent>(event: Name, fields: FieldsOf<Name>) => void

/** Writes one JSON line per event, to standard output unless told otherwise. */
export const openLog = (level: string, to: DestinationStream = logOutput(1)): Log => {
  const out = pino({ level }, to)
  return (event, fields) => {
    const { level: at, message: says, fields: own, isAlert } = EVENTS[event] as EventDefinition
    if (!out.isLevelEnabled(at)) return
    const allowed = Object.fromEntries(Object.entries(fields).filter(([name]) => own.includes(name as FieldName)))
    const line = formatFields(allowed)
    const why = line.reason === undefined ? '' : `: ${line.reason}`
    out[at]({ ...(isAlert ? { alert: event } : { event }), ...line }, `${says}${why}`)
  }
}

export const jobFields = ({ key, orderRef, merchantRef }: Job) => ({
  key,
  order_ref: orderRef,
  merchant_ref: merchantRef,
})

type FormattedValue = string | number | ErrorSummary | undefined
type Field<A> = (value: A) => FormattedValue

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

const patternField =
  (pattern: RegExp): Field<string | null> =>
  (text) =>
    text !== null && pattern.test(text) ? text : undefined

const oneOf =
  <const Word extends string>(...words: readonly Word[]): Field<Word> =>
  (word) =>
    words.includes(word) ? word : undefined

const number: Field<number> = (value) => (Number.isFinite(value) ? Math.round(value) : undefined)

// Each field writes its value in a form that leaves no room for text from outside, and omits a value that does not fit.
const FIELDS = {
  mode: oneOf<Mode>('sandbox', 'production'),
  order_ref: patternField(new RegExp(`^${UUID}$`)),
  /** A job's key: `<order_ref>:<revision>:<lane>`. */
  key: patternField(new RegExp(`^${UUID}:\\d+:[\\w.:-]{1,80}$`)),
  merchant_ref: patternField(/^[\w.-]{1,64}$/),
  method: (method: string): FormattedValue => (METHODS.has(method) ? method : 'another'),
  /** The route's pattern, like `/pay/:uuid/:token`; null if no route matches. */
  route: patternField(/^(?:\/|(?:\/[\w:.{}^[\]+*-]+)+)$/),
  status: number,
  duration_ms: number,
  days: number,
  count: number,
  limit: oneOf('checkout_submissions', 'checkout_polls', 'checkout_metadata', 'address_submissions', 'logins'),
  signal: oneOf('SIGTERM', 'SIGINT'),
  /** The answer shows it too, so that the answer leads to the log line. */
  fault: patternField(/^[0-9a-f]{8}$/),
  reason: (failure: AttemptError | Unavailable | null): FormattedValue =>
    failure === null ? undefined : loggableReason(failure),
  thrown: (cause: unknown): FormattedValue => summarizeError(cause),
} as const

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])

export type FieldName = keyof typeof FIELDS
export type FieldValue<Name extends FieldName> = Parameters<(typeof FIELDS)[Name]>[0]

/** The fields as they are logged. A thrown error becomes three fields. */
const formatFields = (fields: Readonly<Partial<Record<FieldName, unknown>>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (Object.keys(fields) as FieldName[]).flatMap((name): readonly (readonly [string, unknown])[] => {
      const value = (FIELDS[name] as Field<unknown> | undefined)?.(fields[name])
      return typeof value === 'object' ? Object.entries(value) : [[name, value]]
    }),
  )
