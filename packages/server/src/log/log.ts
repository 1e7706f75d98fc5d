// The log is a closed set of events, each with its own sentence and the types of its fields. No type
// is a text that somebody typed, so that no name, code, card or secret gets in.
import type { AttemptError, Job, ThrownError, Unavailable } from '@plazo/core/internal'
import { type DestinationStream, type Level, pino } from 'pino'
import type { Mode } from '../settings/policy.ts'

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

/** What a line may say. The texts are ids and names of plazo or its operator. */
type Fields = {
  readonly mode: Mode
  readonly order_ref: string | null
  /** A job's key: `<order_ref>:<revision>:<lane>`. */
  readonly key: string
  readonly merchant_ref: string
  readonly operator: string | null
  readonly act: 'approve' | 'reject' | 'request-cancellation' | 'cancel' | 'erase' | 'show-data'
  /** Of an endpoint. */
  readonly kind: 'ipn' | 'event'
  readonly since: string
  readonly method: string
  /** The route's pattern, like `/pay/:uuid/:token`; null if no route matches. */
  readonly route: string | null
  readonly status: number
  readonly duration_ms: number
  readonly count: number
  readonly limit:
    | 'checkout_submissions'
    | 'checkout_polls'
    | 'checkout_metadata'
    | 'address_submissions'
    | 'logins'
  readonly signal: NodeJS.Signals
  /** Eight hex digits. The answer has them too, so that it leads to the log line. */
  readonly fault: string
  readonly reason: AttemptError | Unavailable | null
  /** Its address without the password. */
  readonly database: string
  readonly thrown: ThrownError
}

/** A level, a sentence, and the fields that a line may have. */
type Entry = readonly [Level, string, ...(readonly (keyof Fields)[])]
type Entries = { readonly [event: string]: Entry }

const EVENTS = {
  started: ['info', 'plazo is listening', 'mode'],
  awaiting_database: [
    'warn',
    'the database does not answer yet; waiting for it',
    'database',
    'reason',
  ],
  key_file_open: ['warn', 'other users can read or change the key file: set its mode to 600'],
  unencrypted: ['warn', 'BASE_URL is not https: the links for shoppers are not encrypted'],
  stopping: ['info', 'plazo is stopping and finishes the work in flight', 'signal'],
  stopped: ['info', 'plazo has stopped'],
  crashed: ['fatal', 'uncaught error, shutting down', 'thrown'],
  warned: ['warn', 'warning from the runtime', 'thrown'],

  requested: ['trace', 'request received', 'method'],
  answered: ['debug', 'request answered', 'method', 'route', 'order_ref', 'status', 'duration_ms'],
  limited: ['debug', 'too many requests of a kind within a minute', 'limit'],
  crowded: ['warn', 'connections refused: too many are open'],

  fault: ['error', 'internal error', 'fault', 'thrown'],
  unavailable: ['error', 'the database does not answer', 'reason'],
  available: ['info', 'the database answers again', 'duration_ms'],

  operator_acted: ['info', 'an operator acted on an order', 'operator', 'act', 'order_ref'],

  entry_failed: ['warn', 'attempt failed', ...JOB_FIELDS, 'reason'],
  entry_faulted: ['warn', 'attempt failed with an internal error', ...JOB_FIELDS, 'thrown'],
  settled: ['debug', 'attempt finished', ...JOB_FIELDS],

  deliveries_dropped: ['info', 'deleted old deliveries', 'count'],
  nothing_dropped: ['warn', 'could not delete old deliveries', 'reason'],

  sockets_limited: [
    'warn',
    'this process may open too few files for 4,000 deliveries in flight',
    'count',
  ],
} as const satisfies Entries

/** They require an operator. Contract §6. */
const ALERTS = {
  endpoint_failing: [
    'warn',
    'a shop has failed for 15 minutes; see console/endpoints',
    'merchant_ref',
    'kind',
    'since',
  ],
  endpoint_recovered: ['info', 'the shop is well again', 'merchant_ref', 'kind'],
  stuck: ['error', 'could not apply the reply to the order', ...JOB_FIELDS],
  exhausted: ['error', 'gave up after the last attempt', ...JOB_FIELDS, 'reason'],
  failing: ['error', 'still failing after a week; retries continue', ...JOB_FIELDS, 'reason'],
} as const satisfies Entries

const LOG_EVENTS = { ...EVENTS, ...ALERTS }

/** The name of a kind of line. docs/operations.md lists all of them. */
type LogEvent = keyof typeof LOG_EVENTS

type FieldsOf<Name extends LogEvent> = (typeof LOG_EVENTS)[Name] extends readonly [
  Level,
  string,
  ...infer Names extends readonly (keyof Fields)[],
]
  ? { readonly [Field in Names[number]]?: Fields[Field] }
  : never

/** Writes one line. Which fields a line has depends on its event. */
export type Log = <Name extends LogEvent>(event: Name, fields: FieldsOf<Name>) => void

/** Writes one JSON line per event, to standard output unless told otherwise. */
export const openLog = (level: string, to: DestinationStream = logOutput(1)): Log => {
  const out = pino({ level }, to)
  return (event, fields: Partial<Fields>) => {
    const [at, says] = LOG_EVENTS[event]
    if (!out.isLevelEnabled(at)) return
    const { reason, thrown, ...others } = fields
    const line = {
      [event in ALERTS ? 'alert' : 'event']: event,
      ...others,
      ...(reason && { reason: reasonOf(reason) }),
      ...(thrown && { error: thrown.names[1] ?? 'not an Error', stack: framesOf(thrown) }),
    }
    const sentence = [says, others.database, line.reason].filter(Boolean).join(': ')
    out[at](line, sentence)
  }
}

export const jobFields = ({ key, orderRef, merchantRef }: Job) => ({
  key,
  order_ref: orderRef,
  merchant_ref: merchantRef,
})

// An error's message may hold what somebody typed, so the log has the words that are known here.
const reasonOf = (failure: AttemptError | Unavailable): string => {
  if ('code' in failure) return failure.code
  if (failure.reason === 'answered') return `answered ${failure.status}`
  if (failure.reason === 'wrong_answer') return `wrong answer: ${failure.member}`
  return failure.reason
}

// The stack repeats the message, which may imitate a frame. A stack without it was changed.
const framesOf = ({ message, stack }: ThrownError): readonly string[] => {
  const start = stack?.indexOf(message) ?? -1
  if (stack === null || start < 0) return []
  return stack.slice(start + message.length).match(/(?<=^ {4}at ).+$/gm) ?? []
}
