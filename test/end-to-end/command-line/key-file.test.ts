// The key file encrypts everything, so a server says if it is not its owner's alone.
import { chmodSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { startServer } from '../../harness/running-server.ts'

it('a key file that other users can read is named in the log at start', async () => {
  const path = pathOfTest('plazo.db')
  const outputs: string[] = []
  for (const nextMode of [0o666, 0o600]) {
    const server = await startServer({ env: { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'warn' } })
    onTestFinished(() => server.kill().catch(() => {}))
    await server.stop()
    outputs.push(server.output())
    chmodSync(`${path}.key`, nextMode)
  }
  expect(outputs.map((output) => output.includes('"event":"key_file_open"'))).toEqual([false, true])
})
