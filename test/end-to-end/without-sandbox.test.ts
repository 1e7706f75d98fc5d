// A production server must carry nothing of the sandbox: what is not loaded cannot be reached.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

const isOutside = (file: string): boolean =>
  /^(?:[^/]+\/(?:src|bin)\/.*|[^/]+\/[^/]+\.(?:json|ts))$/.test(file) &&
  !/\/(?:sandbox|internal)\/|\/cli\/(?:sandbox-|demo|clock)|\.test\.ts$|^core\/src\/testing\//.test(
    file,
  )

/**
 * Files that name the sandbox or compare the mode, apart from the attribute of a frame. The two
 * folders, the sandbox's commands and the entry that its program imports do not count. It may only
 * shrink.
 */
const MENTIONS_MAX = 16

it('few files outside its two folders know that there is a sandbox', () => {
  const mentions = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/node_modules|\/dist\//.test(file) && isOutside(file))
    .filter((file) => /\.(?:ts|mjs|json|css|html)$/.test(file))
    .filter((file) =>
      /sandbox(?! attribute)|\bmode [=!]==/i.test(readFileSync(join(packages, file), 'utf8')),
    )
  expect(mentions.length, mentions.join('\n')).toBeLessThanOrEqual(MENTIONS_MAX)
})
