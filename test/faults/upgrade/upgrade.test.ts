import { expect, it } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { upgradeServers } from './run.ts'

it('a server that is replaced under clients that reuse connections without a pause loses no request', async () => {
  const env = { DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}` }
  const [replacement] = await upgradeServers({ replacements: 1, clients: 20, env })
  expect(replacement).toMatchObject({
    resets: [],
    failed: [],
    exitCode: 0,
  })
})
