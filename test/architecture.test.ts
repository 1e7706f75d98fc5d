// Imports point one way, which biome.json says by folder. A rule whose pattern matches nothing would
// pass in silence, so each rule gets an import that it must report, next to one that it must allow.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plazo-imports-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** For each folder of packages, an import that is allowed and one that is not. */
const IMPORTS: Readonly<Record<string, readonly [allowed: string, wrong: string]>> = {
  'core/src/statechart': ['xstate', '../order/order.ts'],
  'core/src/protocol': ['io-ts', '../order/order.ts'],
  'core/src/order': ['../protocol/day.ts', '../delivery/schedule.ts'],
  'core/src/delivery': ['../order/order.ts', '../ports/providers.ts'],
  'core/src/ports': ['../delivery/attempt.ts', '../checkout/host.ts'],
  'core/src/explanation': ['../ports/providers.ts', '../checkout/host.ts'],
  'core/src/checkout': ['../ports/providers.ts', '../testing/hmac.ts'],
  'core/src/diagram': ['../order/order.ts', '../checkout/host.ts'],
  'core/src/testing': ['../checkout/host.ts', '../diagram/graph.ts'],
  'core/src': ['./order/order.ts', 'node:fs'],
  'adapters/src/host': ['../store/store.ts', '../sqlite/commit.ts'],
  'adapters/src/memory': ['../store/store.ts', 'node:fs'],
  'server/src/api': ['../http/route.ts', '../host/serve.ts'],
  'server/src/background': ['../log/log.ts', '../http/route.ts'],
  'server/src/cli': ['../host/serve.ts', '@plazo/adapters/sqlite'],
  'server/src/console': ['../api/problem.ts', '../host/serve.ts'],
  'server/src/doctor': ['../settings/config.ts', '../http/route.ts'],
  'server/src/elements': ['../http/route.ts', '../console/routes.ts'],
  'server/src/host': ['../http/route.ts', '../cli/backup.ts'],
  'server/src/http': ['../log/log.ts', '../api/routes.ts'],
  'server/src/internal': ['../api/routes.ts', '../cli/backup.ts'],
  'server/src/log': ['../settings/config.ts', '../http/route.ts'],
  'server/src/merchants': ['../settings/config.ts', '../api/routes.ts'],
  'server/src/sandbox': ['@plazo/server/internal', '../http/route.ts'],
  'server/src/settings': ['./config.ts', '../log/log.ts'],
}

const write = (path: string, text: string): void => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

it('reports a wrong import, a clock and a random value where the rules say, and nothing else', async () => {
  copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  write(
    'test/tools/core-is-pure.grit',
    readFileSync(join(root, 'test/tools/core-is-pure.grit'), 'utf8'),
  )
  for (const [path, [allowed, wrong]] of Object.entries(IMPORTS))
    write(`packages/${path}/planted.ts`, `import '${allowed}'\n\nimport '${wrong}'\n`)
  write(
    'packages/core/src/now.ts',
    'export const at = new Date(0)\n\nexport const now = Date.now()\n',
  )
  write('packages/core/src/timer.ts', 'export const one = 1\n\nsetTimeout(() => {}, one)\n')
  const report = await new Promise<string>((resolve) => {
    const biome = join(root, 'node_modules/.bin/biome')
    const options = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none']
    execFile(biome, options, { cwd: folder }, (_, output) => resolve(output))
  })
  const found = [...report.matchAll(/file=\S*packages\/(\S+)\/(\w+)\.ts,line=(\d+)/g)]
  expect(found.map(([, path, name, line]) => `${path} ${name} ${line}`).sort()).toEqual(
    [
      ...Object.keys(IMPORTS).map((path) => `${path} planted 3`),
      'core/src now 3',
      'core/src timer 3',
    ].sort(),
  )
})
