import { describe, expect, it } from 'vitest'
import { formatColumns, formatTabbed } from './terminal.ts'

const ROWS = [
  ['i1', 'Pay later', null],
  ['pp3', '', 'action events'],
]

describe('a list', () => {
  it('has columns and headers for people', () => {
    expect(formatColumns(['code', 'title', 'options'], ROWS).split('\n')).toEqual([
      'CODE  TITLE      OPTIONS',
      'i1    Pay later  -',
      'pp3   -          action events',
    ])
  })

  it.each([formatColumns, (_: readonly string[], rows: typeof ROWS) => formatTabbed(rows)])(
    'contains no control characters, and no lines or columns except its own',
    (format) => {
      const lines = format(['reference'], [['N\t1\n\u001b[2J'], ['N-2']]).split('\n')
      expect(lines.slice(-2)).toEqual(['N\ufffd1\ufffd\ufffd[2J', 'N-2'])
    },
  )

  it('has one line per item, with tabs, if it is piped', () => {
    expect(formatTabbed(ROWS)).toBe('i1\tPay later\t-\npp3\t-\taction events')
  })
})
