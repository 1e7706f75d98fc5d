// A production server must carry nothing of the sandbox: what is not loaded cannot be reached.
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../harness/path-of-test.ts'
import { startServer } from '../harness/running-server.ts'

const PRODUCTION = {
  MODE: 'production',
  SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
  OPERATOR_PASSWORD: 'the operator’s own',
  ...Object.fromEntries(
    ['SCREENING', 'SMS', 'IDENTITY', 'PAYMENT', 'RISK'].map((port) => [
      `${port}_URL`,
      `https://provider.example/${port}`,
    ]),
  ),
}

const PRELOAD = new URL('../harness/record-modules.ts', import.meta.url).href

const modulesLoadedBy = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const file = pathOfTest('modules.txt')
  const server = await startServer({
    env: { ...env, LOADED_MODULES: file, NODE_OPTIONS: `--import=${PRELOAD}` },
  })
  onTestFinished(() => void server.stop())
  for (const path of ['/readyz', '/machine', '/docs', '/console', '/nowhere'])
    await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } })
  return readFileSync(file, 'utf8')
}

describe('a server', () => {
  it('in production loads no file of a sandbox folder, also while it answers', async () => {
    const loaded = await modulesLoadedBy(PRODUCTION)
    expect(loaded).toContain('/server/src/host/compose.ts')
    expect(loaded.split('\n').filter((url) => url.includes('/sandbox/'))).toEqual([])
  })

  it('in a sandbox loads both folders', async () => {
    const loaded = await modulesLoadedBy({})
    expect(loaded).toContain('/server/src/sandbox/index.ts')
    expect(loaded).toContain('/adapters/src/sandbox/index.ts')
  })
})
