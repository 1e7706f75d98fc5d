// The command that prints the path of a submission must keep working; docs/architecture.md quotes it.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const inFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

it('prints the files of a submission in the order in which it enters them, and its returns', async () => {
  const options = ['--import', inFolder('./record-path.ts'), inFolder('./submission-path.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  expect(stdout).toContain('200 {"action":"require_validate_otp"}')
  const way = ['routes/checkout.ts', 'order/step.ts', 'writer/thread.ts', 'writer/orders.ts']
  const places = way.map((file) => stdout.indexOf(file))
  expect(places).toEqual(places.filter((place) => place > 0).toSorted((one, other) => one - other))
  expect(stdout).toMatch(/\.ts ← \S+\.ts\n/)
  expect(stdout).not.toContain('background/')
  expect(stdout).toMatch(/\d+ files \(server \d+, core \d+, adapters \d+\), returns to \d+\n$/)
})
