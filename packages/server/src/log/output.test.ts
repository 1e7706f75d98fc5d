import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openLog } from './log.ts'
import { logOutput } from './output.ts'

const file = join(tmpdir(), `plazo-log-${process.pid}`)
afterEach(() => rmSync(file, { force: true }))

describe('the output of the log', () => {
  it('gets each line as it is told', () => {
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

  it('holds up nothing where it cannot be written, at the worst of lines either', () => {
    writeFileSync(file, '')
    const fd = openSync(file, 'r')
    const log = openLog('info', logOutput(fd))
    for (let lines = 0; lines < 20_000; lines++) log('started', { mode: 'sandbox' })
    log('crashed', {})
    expect(readFileSync(file, 'utf8')).toBe('')
    closeSync(fd)
  })
})
