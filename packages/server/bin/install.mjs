// Installs what the server needs, and the test tools only where they are installed already: they are
// ten times as large. The lockfile is trusted, because checking each of its packages against the registry
// takes longer than installing them. A test run checks it.
import './check-node.mjs'
import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)
const isInstalled = (path) => existsSync(new URL(`node_modules/${path}`, root))

const words = [
  'pnpm install --trust-lockfile',
  ...(isInstalled('vitest') ? [] : ['--prod']),
  ...(isInstalled('.pnpm') ? ['--silent'] : []),
]
// Standard output belongs to what comes next.
execSync(words.join(' '), { cwd: root, stdio: ['inherit', 2, 2] })
