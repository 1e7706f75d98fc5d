// Runs the programs of the guides to embedding, receiving, testing and the machine unchanged, so that
// they stay correct.
import { addressGuard, merchantGateway } from '@plazo/adapters/http'
import { wireNames } from '@plazo/core'
import { FORM_CONTENT_TYPE, ipnBody } from '@plazo/core/protocol'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type PackedProject, programsOf } from '../harness/packed-project.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { startServer } from '../harness/running-server.ts'
import { DEMO } from '../harness/shop.ts'

export const testGuides = (project: PackedProject): void => {
  const { write, run, runProgram, start, cli } = project

  /** How many tests pass. Rejects if one fails. */
  const countPassed = async (command: string): Promise<number> => {
    const output = await runProgram('sh', ['-c', `${command} 2>&1`])
    const [, before, after] = [...output.matchAll(/(\d+) pass|pass (\d+)/g)].at(-1) ?? []
    return Number(before ?? after)
  }

  describe('the guide', () => {
    it('to embedding takes a checkout from its first submission to its end', async () => {
      write('order.ts', programsOf('embedding.md')[0] ?? '')
      const printed = await run('order.ts')
      expect([...printed.matchAll(/action: '(\w+)'/g)].map(([, action]) => action)).toEqual([
        'require_validate_otp',
        'wait_for_screening',
        'wait_for_confirmation',
        'finish',
      ])
    })

    it('to receiving has a shop in which its pasted order finishes', async () => {
      const [, command = '', order = ''] = programsOf('receiving.md', 'sh')
      const [, secret = '', file = ''] =
        /SIGNATURE_SECRETS=(\w+) .*node (\S+)$/m.exec(command) ?? []
      write(file, programsOf('receiving.md', 'js')[0] ?? '')
      const [sandboxPort, shopPort] = [await freePort(), await freePort()]
      const settings = { PORT: `${sandboxPort}`, DATABASE_URL: 'sqlite::memory:' }
      const sandbox = start([cli, 'serve'], settings)
      const shop = start([file], { PORT: `${shopPort}`, SIGNATURE_SECRETS: secret })
      await Promise.all([sandbox.hasPrinted('"started"'), shop.hasPrinted('/plazo')])
      expect(sandbox.printed()).toContain(secret)
      const commands = order.replaceAll('3000', `${sandboxPort}`).replaceAll('8080', `${shopPort}`)
      expect(await runProgram('sh', ['-c', commands])).toMatch(/"action":"finish".*\n$/)
      await shop.hasPrinted('  response: 200 (empty)')
      expect(shop.printed()).toMatch(/POST order_ref=[\w-]+&order_ref_1=&.*=approved&/)
    })

    it('to receiving has a shop on node:http alone, and a test of a shop', async () => {
      const [shop = '', test = ''] = programsOf('receiving.md')
      write('receiving.ts', shop)
      write('receiving-test.ts', test)
      expect(await run('receiving-test.ts')).toBe('200\n')
      const port = await freePort()
      const receiver = start(['receiving.ts'], { PORT: `${port}`, SIGNATURE_SECRETS: DEMO.secret })
      await receiver.hasPrinted('http')
      const post = merchantGateway({
        names: wireNames('Service', 'sq_state'),
        secretsOf: () => TE.right([DEMO.secret]),
        realNow: Date.now,
        guard: addressGuard({ allowsLocal: true, allow: [] }),
      }).post({
        url: `http://localhost:${port}/`,
        id: 'id-1',
        merchantRef: DEMO.ref,
        contentType: FORM_CONTENT_TYPE,
        readsBody: true,
        body: ipnBody({
          orderRef: 'ref',
          references: { first: 'A-1', second: '' },
          productCode: 'pp3',
          stateParameter: 'sq_state',
          state: 'approved',
          sinceSeconds: 3,
          notificationParameters: { basket: '9' },
        }),
      })
      expect(await post()).toMatchObject({ right: { status: 200, body: '' } })
      await receiver.hasPrinted('A-1 approved since 3 s, basket 9\n')
      expect((await fetch(`http://localhost:${port}/`)).status).toBe(405)
    })

    it('to testing has tests that pass, with the same promises in each runner', async () => {
      const programs = programsOf('testing.md')
      for (const [index, program] of programs.entries()) write(`testing-${index}.test.ts`, program)
      const vitest = 'node node_modules/vitest/vitest.mjs run'
      const count = await countPassed(`${vitest} testing-0`)
      expect(count).toBeGreaterThan(30)
      write('node-runner.test.ts', (programs[0] ?? '').replace('vitest', 'node'))
      expect(await countPassed('node --test node-runner.test.ts')).toBe(count)
      const server = await startServer()
      const others = programs.slice(1).map((_, index) => `testing-${index + 1}`)
      const environment = `SERVER_URL=${server.url}`
      expect(await countPassed(`${environment} ${vitest} ${others.join(' ')}`)).toBeGreaterThan(5)
      await server.stop()
    })

    it('to the machine follows an actor', async () => {
      write('actor.ts', programsOf('machine/README.md')[0] ?? '')
      const printed = await run('actor.ts')
      const states = printed.match(/^\{.*?(identifying|verifyingPhone|screening)/gm)
      expect(states).toHaveLength(3)
      expect(printed).toMatch(/^sendCode [\s\S]*^revoke \{ lane: 'sms' \}[\s\S]*^screen /m)
    })
  })
}
