import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// Opening a pipe for reading occupies a thread of the pool until somebody writes.
const PROGRAM = `
  await import('${new URL('./process-setup.ts', import.meta.url)}')
  const { open } = await import('node:fs/promises')
  const { lookup } = await import('node:dns/promises')
  for (let n = 0; n < 64; n++) void open(process.env.PIPE, 'r')
  await lookup('localhost')
  console.log('resolved')`

it('the pool resolves a name even while the maximum of lookups hangs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-pool-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { PATH: process.env.PATH, PIPE: pipe },
  })
  const [output] = await once(child.stdout, 'data')
  expect(String(output)).toBe('resolved\n')
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})
