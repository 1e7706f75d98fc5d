// The log is a closed set of events, each with its own sentence and its allowed fields. Free text cannot be logged, so that no
// name, code, card or secret gets in.
import type { Entry } from '@plazo/core'
import { type DestinationStream, pino } from 'pino'
import { type FieldName, type FieldValue, written } from './fields.ts'
import { logOutput } from './output.ts'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

type Told = {
  readonly level: Level
  readonly says: string
  readonly fields: readonly FieldName[]
  /** Requires an operator. Contract §6. */
  readonly isAlert?: true
}

const OF_ENTRY = ['key', 'order_ref', 'merchant_ref'] as const

const EVENTS = {
  started: { level: 'info', says: 'plazo serves', fields: ['mode'] },
  awaiting_database: { level: 'warn', says: 'the database does not answer yet: plazo waits for it', fields: [] },
  unencrypted: {
    level: 'warn',
    says: 'BASE_URL is not https: where shoppers are sent to is not encrypted',
    fields: [],
  },
  console_open: {
    level: 'warn',
    says: 'OPERATOR_PASSWORD is the sandbox’s, which everybody knows: anybody may decide on the console',
    fields: [],
  },
  stopping: { level: 'info', says: 'plazo is stopping and waits for work in flight', fields: ['signal'] },
  stopped: { level: 'info', says: 'plazo has stopped', fields: [] },
  crashed: { level: 'fatal', says: 'nobody has caught an error: plazo ends', fields: ['thrown'] },
  warned: { level: 'warn', says: 'the runtime warns', fields: ['thrown'] },

  requested: { level: 'trace', says: 'asked', fields: ['method'] },
  answered: { level: 'debug', says: 'answered', fields: ['method', 'route', 'order_ref', 'status', 'duration_ms'] },
  limited: { level: 'debug', says: 'refused: too many of its kind in a minute', fields: ['limit'] },
  crowded: { level: 'warn', says: 'connections were refused: there are too many', fields: ['count'] },

  fault: { level: 'error', says: 'something went wrong on our side', fields: ['fault', 'thrown'] },
  unavailable: { level: 'error', says: 'the store does not answer', fields: ['reason'] },
  available: { level: 'info', says: 'the store answers again', fields: ['duration_ms'] },

  entry_failed: { level: 'warn', says: 'an attempt has failed', fields: [...OF_ENTRY, 'reason'] },
  entry_faulted: { level: 'warn', says: 'an attempt has met an error of ours', fields: [...OF_ENTRY, 'thrown'] },
  settled: { level: 'debug', says: 'an attempt has ended', fields: OF_ENTRY },

  deliveries_dropped: { level: 'info', says: 'finished deliveries were old enough to be deleted', fields: ['count'] },
  journals_dropped: {
    level: 'info',
    says: 'journals of orders that are over were old enough to be deleted',
    fields: ['count'],
  },
  nothing_dropped: { level: 'warn', says: 'what is old enough to be deleted could not be', fields: ['reason'] },

  sockets_limited: {
    level: 'warn',
    says: 'this process may open too few files for WEBHOOK_SOCKETS: fewer deliveries are in flight at a time',
    fields: ['count'],
  },

  slow_merchants: {
    level: 'warn',
    says: 'merchants have not answered in time for a minute: their own deliveries wait, look at their endpoints',
    fields: ['count', 'merchant_ref'],
    isAlert: true,
  },
  stuck: {
    level: 'error',
    says: 'the step that an answer causes cannot be made: it is parked',
    fields: OF_ENTRY,
    isAlert: true,
  },
  exhausted: {
    level: 'error',
    says: 'given up after its last attempt',
    fields: [...OF_ENTRY, 'reason'],
    isAlert: true,
  },
  failing: {
    level: 'error',
    says: 'has failed for a week and is tried on',
    fields: [...OF_ENTRY, 'reason'],
    isAlert: true,
  },
  unsupported: {
    level: 'warn',
    says: 'the merchant does not do cancel, or cannot be asked: cancel on the console, or ask again',
    fields: OF_ENTRY,
    isAlert: true,
  },
  toolate_without_minutes: {
    level: 'warn',
    says: 'the answer toolate does not say by how many minutes',
    fields: OF_ENTRY,
    isAlert: true,
  },
  cancel_waiting: {
    level: 'warn',
    says: 'the merchant has been asked to cancel for more than a week and has not decided: decide on the console',
    fields: [...OF_ENTRY, 'days'],
    isAlert: true,
  },
} as const satisfies Readonly<Record<string, Told>>

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
    const { level: at, says, fields: own, isAlert } = EVENTS[event] as Told
    if (!out.isLevelEnabled(at)) return
    const known = Object.fromEntries(Object.entries(fields).filter(([name]) => own.includes(name as FieldName)))
    const line = written(known)
    const why = line.reason === undefined ? '' : `: ${line.reason}`
    out[at]({ ...(isAlert ? { alert: event } : { event }), ...line }, `${says}${why}`)
  }
}

export const entryFields = ({ key, orderRef, merchantRef }: Entry) => ({
  key,
  order_ref: orderRef,
  merchant_ref: merchantRef,
})
