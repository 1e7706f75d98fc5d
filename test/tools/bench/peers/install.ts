// Installs the peers in exact versions when a benchmark needs them. They go into their own cache,
// so that plazo never depends on them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PEERS = {
  '@dbos-inc/dbos-sdk': '5.3.0',
  'graphile-worker': '0.18.0',
} as const

type Peer = keyof typeof PEERS

const FOLDER = fileURLToPath(
  new URL('../../../node_modules/.cache/plazo-bench-peers', import.meta.url),
)
const { resolve } = createRequire(join(FOLDER, 'package.json'))

export const installPeers = (): void => {
  const expected = `${JSON.stringify({ private: true, dependencies: PEERS }, null, 2)}\n`
  const manifest = join(FOLDER, 'package.json')
  const isThere =
    existsSync(join(FOLDER, 'node_modules')) && readFileSync(manifest, 'utf8') === expected
  if (isThere) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(manifest, expected)
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', FOLDER, ...quietly], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * The caller declares the part of the API that it uses, as `Api`, because a type check must not
 * need the peers.
 */
export const importPeer = async <Api>(peer: Peer): Promise<Api> =>
  (await import(pathToFileURL(resolve(peer)).href)) as Api
