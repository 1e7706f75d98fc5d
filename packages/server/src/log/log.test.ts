import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttemptError, describeThrown, type Unavailable } from '@plazo/core/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { type Log, logOutput, openLog } from './log.ts'

type Line = Readonly<Record<string, unknown>>

const ORDER = '0b9f3c1e-7a52-4c9d-8d0e-3f6a2b1c4d5e'

const logLines = (writeLog: (log: Log) => void): readonly Line[] => {
  const lines: string[] = []
  writeLog(openLog('trace', { write: (line) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line) as Line)
}

const ANSWERED_500: AttemptError = { reason: 'answered', status: 500, message: 'Ana' }

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

  it.each<[AttemptError | Unavailable, string]>([
    [
      { reason: 'wrong_answer', member: 'cards.1.last_four', message: 'Ana' },
      'wrong answer: cards.1.last_four',
    ],
    [{ reason: 'timeout', message: 'Ana' }, 'timeout'],
    [{ _tag: 'Unavailable', code: 'file_replaced', message: 'Ana' }, 'file_replaced'],
  ])('logs the reason of a failure, and never its message: %j', (reason, expected) => {
    expect(logLines((log) => log('nothing_dropped', { reason }))).toMatchObject([
      { reason: expected, msg: `could not delete old deliveries: ${expected}` },
    ])
  })
})

describe('a thrown error', () => {
  const logThrown = (cause: unknown): Line =>
    logLines((log) => log('fault', { fault: '00c0ffee', thrown: describeThrown(cause) }))[0] ?? {}

  it('is logged with its class and the frames of its stack', () => {
    expect(logThrown(new TypeError('no Ana'))).toMatchObject({
      fault: '00c0ffee',
      error: 'TypeError',
      stack: expect.arrayContaining([expect.stringMatching(/src\/log\/log\.test\.ts:\d+/)]),
      msg: 'internal error',
    })
  })

  it.each<[string, unknown, string]>([
    [
      'an error with a name',
      Object.assign(new Error('Ana'), { name: 'Ana', code: 'ANA' }),
      'Error',
    ],
    ['an object', { name: 'Ana', message: 'Ana', stack: 'Ana' }, 'not an Error'],
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
  it('blocks nothing if it cannot be written, even with the worst lines', () => {
    writeFileSync(file, '')
    const fd = openSync(file, 'r')
    const log = openLog('info', logOutput(fd))
    for (let lines = 0; lines < 20_000; lines++) log('started', { mode: 'sandbox' })
    expect(readFileSync(file, 'utf8')).toBe('')
    closeSync(fd)
  })
})
