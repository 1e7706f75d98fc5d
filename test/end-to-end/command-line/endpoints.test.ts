// `plazo endpoints` next to a running server: what the console's pages say, for a terminal.
import { afterAll, expect, it } from 'vitest'
import { startReceiver } from '../../harness/receiver.ts'
import type { Json } from '../../harness/shop.ts'
import { servedShopOnFile } from '../served-shop.ts'
import { addressesAt, requestsAt } from '../stages.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { shop, stages, plazo } = await servedShopOnFile()

const OF_IPN = ['--merchant', 'demo', '--kind', 'ipn']
const DAY = 86_400_000

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

it('pauses one for 24 hours at most, says what that costs, and ends the pause', async () => {
  const { now } = await shop.advance(0)
  const { code, stdout } = await plazo.run('endpoints', 'pause', ...OF_IPN, '--hours', '24')
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('1 order of this shop will expire within 24 hours if nobody confirms'),
  ])
  const [, until = ''] = /until (\S+)\./.exec(stdout) ?? []
  expect(Date.parse(until) - Date.parse(String(now))).toBeLessThan(DAY + 60_000)
  const before = requestsAt(receiver, ipn).length
  await shop.advance(3_600)
  expect(requestsAt(receiver, ipn)).toHaveLength(before)
  expect((await plazo.run('endpoints', 'list')).stdout).toContain('paused, failing for ')
  receiver.answer(ipn, { status: 200 })
  expect(await plazo.json('endpoints', 'resume', ...OF_IPN)).toMatchObject({ paused_until: null })
  await shop.advance(3_600)
  expect(requestsAt(receiver, ipn).length).toBeGreaterThan(before)
  expect((await plazo.run('endpoints', 'list')).stdout).toMatch(/^demo\tipn\tunsteady\t200\t/)
})

it.each([
  [['--merchant', 'nobody', '--kind', 'ipn'], '--merchant is "nobody"'],
  [['--merchant', 'demo', '--kind', 'sms'], '--kind must be one of ipn, event'],
  [[...OF_IPN, '--hours', '25'], '--hours must be a whole number from 1 to 24'],
])('refuses %j, and says what is expected', async (words, sentence) => {
  expect(await plazo.run('endpoints', 'pause', ...words)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  })
})
