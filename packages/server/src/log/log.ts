// The log is a closed set of events, each with its own sentence and its allowed fields. Free text
// cannot be logged, so that no name, code, card or secret gets in.
import type {
  AttemptError,
  Job,
  ThrownError,
  Unavailable,
  UnavailableCode,
} from '@plazo/core/ports'
import { type DestinationStream, type Level, pino } from 'pino'
import { MODES } from '../settings/policy.ts'
import { loggableReason, summarizeError } from './loggable-errors.ts'

// Bytes that wait for the next line that can be written; anything beyond is lost.
const BUFFERED_BYTES_MAX = 2 ** 20

/**
 * Keeps a log that cannot be written (its disk is full, its reader is gone) from stopping the
 * server. It wraps pino's destination, ignores its errors, and never lets pino flush it, because
 * that would retry forever.
 */
export const logOutput = (fd: number): DestinationStream => {
  const output = pino.destination({ dest: fd, sync: true, maxLength: BUFFERED_BYTES_MAX })
  output.on('error', () => {})
  return { write: (line) => void output.write(line) }
}

const JOB_FIELDS = ['key', 'order_ref', 'merchant_ref'] as const

/** A level, a sentence, and the fields that a line may have. */
type Entry = readonly [Level, string, ...(readonly FieldName[])]
type Entries = { readonly [event: string]: Entry }

const EVENTS = {
  started: ['info', 'plazo is listening', 'mode'],
  awaiting_database: [
    'warn',
    'the database does not answer yet; waiting for it',
    'database',
    'reason',
    'hint',
  ],
  key_file_open: [
    'warn',
    'other users of this machine can read or change the key file: set its mode to 600',
  ],
  unencrypted: ['warn', 'BASE_URL is not https: the links for shoppers are not encrypted'],
  stopping: ['info', 'plazo is stopping and finishes the work in flight', 'signal'],
  stopped: ['info', 'plazo has stopped'],
  crashed: ['fatal', 'uncaught error, shutting down', 'thrown'],
  warned: ['warn', 'warning from the runtime', 'thrown'],

  requested: ['trace', 'request received', 'method'],
  answered: ['debug', 'request answered', 'method', 'route', 'order_ref', 'status', 'duration_ms'],
  limited: ['debug', 'request refused: too many of its kind within a minute', 'limit'],
  crowded: ['warn', 'connections refused: too many are open'],

  fault: ['error', 'internal error', 'fault', 'thrown'],
  unavailable: ['error', 'the database does not answer', 'reason', 'hint'],
  available: ['info', 'the database answers again', 'duration_ms'],

  operator_acted: ['info', 'an operator changed an order', 'operator', 'act', 'order_ref'],

  entry_failed: ['warn', 'attempt failed', ...JOB_FIELDS, 'reason'],
  entry_faulted: ['warn', 'attempt failed with an internal error', ...JOB_FIELDS, 'thrown'],
  settled: ['debug', 'attempt finished', ...JOB_FIELDS],

  deliveries_dropped: [
    'info',
    'deleted finished deliveries that were past their retention',
    'count',
  ],
  nothing_dropped: ['warn', 'could not delete what is past its retention', 'reason'],

  sockets_limited: [
    'warn',
    'this process may open too few files for 4,000 deliveries in flight; fewer are in flight at a time',
    'count',
  ],
} as const satisfies Entries

/** They require an operator. Contract §6. */
const ALERTS = {
  endpoint_failing: [
    'warn',
    'a shop has failed each attempt for 15 minutes; its orders expire; see console/endpoints',
    'merchant_ref',
    'kind',
    'since',
  ],
  endpoint_recovered: ['info', 'the shop is well again', 'merchant_ref', 'kind'],
  stuck: ['error', 'could not apply the reply to the order; job is stuck', ...JOB_FIELDS],
  exhausted: ['error', 'gave up after the last attempt', ...JOB_FIELDS, 'reason'],
  failing: ['error', 'still failing after a week; retries continue', ...JOB_FIELDS, 'reason'],
} as const satisfies Entries

export const LOG_EVENTS = { ...EVENTS, ...ALERTS }

/** The name of a kind of line. docs/operations.md lists all of them. */
export type LogEvent = keyof typeof LOG_EVENTS

type FieldsOf<Name extends LogEvent> = (typeof LOG_EVENTS)[Name] extends readonly [
  Level,
  string,
  ...infer Names extends readonly FieldName[],
]
  ? { readonly [Field in Names[number]]?: FieldValue<Field> }
  : never

/** Writes one line. Which fields a line has depends on its event. */
export type Log = <Name extends LogEvent>(event: Name, fields: FieldsOf<Name>) => void

/** Writes one JSON line per event, to standard output unless told otherwise. */
export const openLog = (level: string, to: DestinationStream = logOutput(1)): Log => {
  const out = pino({ level }, to)
  return (event, fields) => {
    const [at, says, ...names]: Entry = LOG_EVENTS[event]
    if (!out.isLevelEnabled(at)) return
    const line = formatFields(fields, names)
    const sentence = [says, line.database, line.reason, line.hint]
      .filter((part) => part !== undefined)
      .join(': ')
    out[at]({ [event in ALERTS ? 'alert' : 'event']: event, ...line }, sentence)
  }
}

export const jobFields = ({ key, orderRef, merchantRef }: Job) => ({
  key,
  order_ref: orderRef,
  merchant_ref: merchantRef,
})

type FormattedValue = string | number | ReturnType<typeof summarizeError> | undefined
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

// Each field writes its value in a form that leaves no room for text from outside, and omits a
// value that does not fit.
const FIELDS = {
  mode: oneOf(...MODES),
  order_ref: patternField(new RegExp(`^${UUID}$`)),
  /** A job's key: `<order_ref>:<revision>:<lane>`. */
  key: patternField(new RegExp(`^${UUID}:\\d+:[\\w.:-]{1,80}$`)),
  merchant_ref: patternField(/^[\w.-]{1,64}$/),
  /** By the settings. */
  operator: patternField(/^[a-z0-9]{1,64}$/),
  act: oneOf('approve', 'reject', 'request-cancellation', 'cancel', 'erase'),
  /** Of an endpoint. */
  kind: oneOf('ipn', 'event'),
  since: patternField(/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/),
  method: (method: string): FormattedValue => (METHODS.has(method) ? method : 'another'),
  /** The route's pattern, like `/pay/:uuid/:token`; null if no route matches. */
  route: patternField(/^(?:\/|(?:\/[\w:.{}^[\]+*-]+)+)$/),
  status: number,
  duration_ms: number,
  count: number,
  limit: oneOf(
    'checkout_submissions',
    'checkout_polls',
    'checkout_metadata',
    'address_submissions',
    'logins',
  ),
  signal: oneOf('SIGTERM', 'SIGINT'),
  /** The answer shows it too, so that the answer leads to the log line. */
  fault: patternField(/^[0-9a-f]{8}$/),
  reason: (failure: AttemptError | Unavailable | null): FormattedValue =>
    failure === null ? undefined : loggableReason(failure),
  /** Its address without the password. */
  database: patternField(/^postgres:\/\/[^\s"]{1,300}$/),
  hint: (code: UnavailableCode): FormattedValue => UNREACHABLE_HINTS[code],
  thrown: (thrown: ThrownError): FormattedValue => summarizeError(thrown),
} as const

// Tells the operator where to look if the reason is only an error code of the operating system.
const UNREACHABLE_HINTS: { readonly [code in UnavailableCode]?: string } = {
  host_not_found: 'the host name does not exist, or the name server does not answer',
  connection_refused: 'nothing listens at this address and port',
  connection_lost:
    'what listens at this address and port ends the connection; it may be another service',
  connection_reset:
    'what listens at this address and port ends the connection; it may be another service',
  connection_timeout:
    'nobody at this address and port answers like PostgreSQL; it may be another service',
  no_answer: 'nobody answers at this address and port',
  host_unreachable: 'there is no route to this address',
  disk_io_error: 'the disk cannot be read or written',
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])

/** The name of a field that a line of the log may have. */
export type FieldName = keyof typeof FIELDS

/** What a field of the log accepts: a number, a code or an id, never free text. */
export type FieldValue<Name extends FieldName> = Parameters<(typeof FIELDS)[Name]>[0]

/** The named fields as they are logged. A thrown error becomes three fields. */
const formatFields = (
  fields: Readonly<Partial<Record<FieldName, unknown>>>,
  names: readonly FieldName[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    names
      .filter((name) => name in fields)
      .flatMap((name): readonly (readonly [string, unknown])[] => {
        const value = (FIELDS[name] as Field<unknown>)(fields[name])
        return typeof value === 'object' ? Object.entries(value) : [[name, value]]
      }),
  )
