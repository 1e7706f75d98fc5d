// The command that lists the path of a submission must keep working; docs/architecture.md quotes it.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const COMMAND = fileURLToPath(new URL('./submission-path.ts', import.meta.url))

it('lists the files of a submission, from the route to the writer', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND])
  expect(stdout).toContain('200 {"action":"require_validate_otp"}')
  for (const file of ['server/routes/checkout.ts', 'core/order/step.ts', 'adapters/sqlite/writer/orders.ts'])
    expect(stdout).toContain(`  ${file}\n`)
  expect(Number(/(\d+) files\n$/.exec(stdout)?.[1])).toBeGreaterThan(20)
})
