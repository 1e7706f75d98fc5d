// Retention deletes old finished data while a server runs. Younger or unfinished data must stay.
// Contract §7.
import { openLog, serve } from '@plazo/server'
import { afterAll, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { type Json, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { stagesOf, surnames } from './stages.ts'

const DAY = 86_400

const config = configFrom({
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  LOG_LEVEL: 'silent',
})
const serving = await serve(config, openLog(config.logLevel), {
  retainEvery: 10,
  compose: composeInMode,
})
const shop = shopAt(serving.baseUrl)
afterAll(() => serving.stop())

const deliveriesOf = async (ref: string): Promise<readonly Json[]> =>
  (await (
    await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${ref}`)
  ).json()) as readonly Json[]

const placeDenied = () => stagesOf(shop).settled(surnames('denial event'))

it('a running server deletes finished deliveries after 90 days; the order and its history stay', async () => {
  const old = await placeDenied()
  expect(await deliveriesOf(old)).toMatchObject([{ event: 'denied', state: 'delivered' }])
  const history = await shop.history(old)
  await shop.advance(91 * DAY)
  await waitUntil(async () => (await deliveriesOf(old)).length === 0)
  expect(await shop.history(old)).toEqual(history)
})
