// `plazo endpoints` next to a running server: what the console's pages say, for a terminal.
import { afterAll, expect, it } from 'vitest'
import { startReceiver } from '../../harness/receiver.ts'
import type { Json } from '../../harness/shop.ts'
import { servedShopOnFile } from '../served-shop.ts'
import { addressesAt } from '../stages.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { stages, plazo } = await servedShopOnFile()

const OF_IPN = ['--merchant', 'demo', '--kind', 'ipn']

const { ipn, merchant } = addressesAt(receiver, 'failing')

it('lists the failing ones first, with what the shop answers', async () => {
  expect(await plazo.run('endpoints', 'list')).toMatchObject({
    code: 0,
    stderr: 'No shop has been called yet.\n',
  })
  receiver.answer(ipn, { status: 503 })
  await stages.settled({}, { merchant })
  const { stdout } = await plazo.run('endpoints', 'list')
  expect(stdout).toMatch(/^demo\tipn\tfailing for 1 minute\t503\t0 %\t0 %\t0 %\t0\t1\n/)
  expect(await plazo.json<readonly Json[]>('endpoints', 'list')).toMatchObject([
    { merchant: 'demo', kind: 'ipn', accepted_percent: { hour: 0 }, waiting: 1 },
  ])
})

it('shows one with its addresses, and what can still be saved', async () => {
  const { stdout } = await plazo.run('endpoints', 'show', ...OF_IPN)
  expect(stdout).toMatch(/^health {12}failing for /)
  expect(stdout).toContain('can be saved      1 order\n')
  expect(stdout).toMatch(/^address {11}http:\S+\/failing\/ipn {2}503 at \S+Z, accepted 0 % of 1$/m)
  expect(
    (await plazo.run('endpoints', 'show', '--merchant', 'demo', '--kind', 'event')).stdout,
  ).toMatch(/^health {12}not called yet\n/)
})

it.each([
  [['--merchant', 'nobody', '--kind', 'ipn'], '--merchant is "nobody"'],
  [['--merchant', 'demo', '--kind', 'sms'], '--kind must be one of ipn, event'],
])('refuses %j, and says what is expected', async (words, sentence) => {
  expect(await plazo.run('endpoints', 'show', ...words)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  })
})
