import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { formatList, requireYes } from './terminal.ts'

const ROWS = [
  ['i1', 'Pay later', null],
  ['pp3', '', 'action events'],
]

describe('a list', () => {
  it.each([true, false])(
    'contains no control characters, and no lines or columns except its own',
    (isTerminal) => {
      const lines = formatList(['reference'], [['N\t1\n\u001b[2J'], ['N-2']], isTerminal).split(
        '\n',
      )
      expect(lines.slice(-2)).toEqual(['N\ufffd1\ufffd\ufffd[2J', 'N-2'])
    },
  )

  it('has one line per item, with tabs, under headings, if it is piped', () => {
    expect(formatList(['code', 'title', 'options'], ROWS, false)).toBe(
      'CODE\tTITLE\tOPTIONS\ni1\tPay later\t-\npp3\t-\taction events',
    )
  })
})

describe('a question before what cannot be undone', () => {
  const ask = async (typed: string | null, isAnswered = false): Promise<string> => {
    const stdin = Object.assign(new PassThrough(), { isTTY: typed !== null })
    const stderr = new PassThrough()
    let screen = ''
    stderr.on('data', (chunk: Buffer) => {
      screen += chunk
    })
    stdin.end(typed ?? 'yes\n')
    await requireYes('This erases\u001b[2J it.', isAnswered, { stdin, stderr })
    return screen
  }

  it.each(['yes\n', ' Y \n'])('accepts %j', async (typed) => {
    expect(await ask(typed)).toBe(
      'This erases\\u001b[2J it.\nThis cannot be undone.\nDo it? Type yes: ',
    )
  })

  it.each(['\n', 'yesterday\n'])('takes %j for a no', async (typed) => {
    await expect(ask(typed)).rejects.toThrow('You did not type yes, so nothing was done.')
  })

  it('is a no without a terminal, whatever is piped in', async () => {
    await expect(ask(null)).rejects.toThrow(
      'This erases\\u001b[2J it.\nThis cannot be undone.\nNothing was done, because there is no terminal to ask at. Add --yes',
    )
  })
})
