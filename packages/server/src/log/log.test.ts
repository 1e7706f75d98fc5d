import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttemptError, describeThrown, type UnavailableCode } from '@plazo/core/ports'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { LOG_EVENTS, type Log, type LogEvent, logOutput, openLog } from './log.ts'

type Line = Readonly<Record<string, unknown>>
type Anything = (event: LogEvent, fields: Line) => void

const ORDER = '0b9f3c1e-7a52-4c9d-8d0e-3f6a2b1c4d5e'

const logLines = (writeLog: (log: Log) => void, level = 'trace'): readonly Line[] => {
  const lines: string[] = []
  writeLog(openLog(level, { write: (line) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line) as Line)
}

// Logs as code that bypasses the types would.
const logUnchecked = (event: LogEvent, fields: Line): string =>
  JSON.stringify(
    logLines((log) => (log as Anything)(event, fields)).map(
      ({ time, pid, hostname, ...rest }) => rest,
    ),
  )

const ANSWERED_500: AttemptError = { reason: 'answered', status: 500, message: 'Ana' }

const NAMES = Object.keys(LOG_EVENTS) as LogEvent[]
const FIELDS = [
  ...new Set(Object.values(LOG_EVENTS).flatMap(([, , ...fields]): readonly string[] => fields)),
]

describe('the log', () => {
  it('describes each event in its own words, with the fields that distinguish it', () => {
    const [line] = logLines((log) =>
      log('exhausted', { key: `${ORDER}:3:notice`, order_ref: ORDER, reason: ANSWERED_500 }),
    )
    expect(line).toMatchObject({
      level: 50,
      alert: 'exhausted',
      key: `${ORDER}:3:notice`,
      order_ref: ORDER,
      reason: 'answered 500',
      msg: 'gave up after the last attempt: answered 500',
    })
  })

  it.each<[AttemptError, string]>([
    [
      { reason: 'wrong_answer', member: 'cards.1.last_four', message: 'Ana' },
      'wrong answer: cards.1.last_four',
    ],
    [{ reason: 'wrong_answer', member: 'Ana', message: 'Ana' }, 'another reason'],
    [{ reason: 'answered', status: 503, message: 'Ana' }, 'answered 503'],
    [{ reason: 'timeout', message: 'Ana' }, 'timeout'],
    [{ reason: 'other', message: 'Ana' }, 'another reason'],
    [{ reason: 'Ana' as 'other', message: 'Ana' }, 'another reason'],
  ])('logs the reason of a failed attempt, and never its message: %j', (reason, expected) => {
    expect(logLines((log) => log('entry_failed', { reason }))).toMatchObject([{ reason: expected }])
  })

  it.each<[UnavailableCode, string]>([
    ['file_replaced', 'The database’s file was removed or replaced'],
    ['internal_error', 'another reason'],
  ])('logs %s in words that do not depend on the message', (code, reason) => {
    const error = { _tag: 'Unavailable', code, message: 'Ana' } as const
    expect(logLines((log) => log('unavailable', { reason: error }))).toMatchObject([{ reason }])
  })

  it('logs how many writes a full queue holds', () => {
    const full = {
      _tag: 'Unavailable',
      code: 'queue_full',
      message: 'Ana',
      waiting: 10_000,
    } as const
    const [line] = logLines((log) => log('unavailable', { reason: full }))
    expect(line).toMatchObject({ reason: '10000 steps are waiting already.' })
  })

  it('keeps quiet below its level', () => {
    const writeLog = (log: Log): void => {
      log('answered', { method: 'GET', route: '/healthz', status: 200 })
      log('entry_failed', { reason: { reason: 'timeout', message: 'Ana' } })
    }
    expect(logLines(writeLog, 'info').map(({ event }) => event)).toEqual(['entry_failed'])
    expect(logLines(writeLog, 'silent')).toEqual([])
  })

  it('never contains free text, in any field of any event', () => {
    // Too long for a code or a number, and with letters that no field has in its own words.
    const text = fc.string({ unit: 'grapheme' }).map((some) => `Ñandú Ensayo, Calle Mayor 1${some}`)
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), text, (name, some) => {
        const everywhere = Object.fromEntries(
          [...FIELDS, 'msg', 'anything'].map((field) => [field, some]),
        )
        return !logUnchecked(name, everywhere).includes('Ensayo')
      }),
    )
  })

  it.each([
    ...['ana@example.com', '600123456', '12345678Z', '4111111111111111', 'Basic ZGVtbzpkZW1v'],
    ...[
      '/pay/0b9f3c1e-7a52-4c9d-8d0e-3f6a2b1c4d5e/x?y=z&nin=12345678Z',
      'ECONNREFUSED Ana',
      'timeout of Ana',
    ],
    ...['answered 500 to Ana', 'SQLITE_FULL for Ana'],
  ])('accepts no %s that does not match its format', (text) => {
    // The operator chooses these two names.
    for (const name of NAMES)
      for (const field of FIELDS.filter((field) => !/^(merchant_ref|operator)$/.test(field)))
        expect(logUnchecked(name, { [field]: text }), `${name}.${field}`).not.toContain(text)
  })

  it('leaves out fields that the event does not have', () => {
    expect(logUnchecked('started', { order_ref: ORDER })).not.toContain(ORDER)
  })
})

describe('a thrown error', () => {
  const logThrown = (cause: unknown): Line =>
    logLines((log) => log('fault', { fault: '00c0ffee', thrown: describeThrown(cause) }))[0] ?? {}
  const namedError = (name: string, properties: Line = {}): Error =>
    Object.assign(new Error('Ana'), { name, ...properties })

  it('is logged with its class, its code and the project’s files in its stack', () => {
    const cause = Object.assign(new TypeError('no Ana'), { code: 'ERR_INVALID_ARG_TYPE' })
    expect(logThrown(cause)).toMatchObject({
      fault: '00c0ffee',
      error: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      place: expect.stringMatching(/^server\/src\/log\/log\.test\.ts:\d+/),
      msg: 'internal error',
    })
  })

  it.each<[string, unknown, string]>([
    ['an error of a name that is not known', namedError('Ana'), 'Error'],
    ['an error of SQLite', namedError('SqliteError', { code: 'SQLITE_FULL' }), 'SqliteError'],
    ['a text', 'Ana', 'not an Error'],
    ['an object', { name: 'Ana', message: 'Ana', stack: 'Ana' }, 'not an Error'],
    ['an error with a code of somebody’s', namedError('TypeError', { code: 'ANA' }), 'TypeError'],
    [
      'an error whose stack is a text',
      Object.assign(new Error('x'), { stack: '    at Ana (/Ana:1:1)' }),
      'Error',
    ],
    [
      'an error whose message looks like a stack',
      new Error('\n    at Ana (/Ana/Ana.ts:1:1)\n    at Ana:1:1'),
      'Error',
    ],
  ])('is never logged with its message: %s', (_, cause, error) => {
    const line = logThrown(cause)
    expect(line.error).toBe(error)
    expect(JSON.stringify(line)).not.toMatch(/Ana/i)
  })
})

const file = join(tmpdir(), `plazo-log-${process.pid}`)
afterEach(() => rmSync(file, { force: true }))

describe('the output of the log', () => {
  it('receives each line immediately', () => {
    const fd = openSync(file, 'w')
    const log = openLog('info', logOutput(fd))
    log('started', { mode: 'sandbox' })
    log('crashed', {})
    expect(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['started', 'crashed'])
    closeSync(fd)
  })

  it('blocks nothing if it cannot be written, even with the worst lines', () => {
    writeFileSync(file, '')
    const fd = openSync(file, 'r')
    const log = openLog('info', logOutput(fd))
    for (let lines = 0; lines < 20_000; lines++) log('started', { mode: 'sandbox' })
    log('crashed', {})
    expect(readFileSync(file, 'utf8')).toBe('')
    closeSync(fd)
  })
})
