// A whole server behind a proxy: the setting reaches the thread that calls merchants.
import { expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { startConnectProxy } from '../harness/connect-proxy.ts'
import { OK, rawMerchant, replies } from '../harness/raw-merchant.ts'
import { shopAt } from '../harness/shop.ts'

const BASE_URL = 'http://localhost:3000'

it('a server calls merchants through its proxy, but not those in NO_PROXY', async () => {
  const merchant = await rawMerchant(replies(OK))
  const { proxy, connects } = await startConnectProxy()
  const { app, stop } = await composeInMode(
    configFrom({
      DATABASE_URL: 'sqlite::memory:',
      LOG_LEVEL: 'silent',
      OUTBOUND_PROXY: proxy.url,
      NO_PROXY: 'direct.test',
    }),
    { baseUrl: BASE_URL },
  )
  const shop = shopAt(BASE_URL, undefined, async (path, init) => app.request(path, init))
  const send = async (host: string) => {
    const body = { event: 'denied', url: `http://${host}:${merchant.port}/events` }
    return (await shop.asMerchant('POST', '/merchants/demo/deliveries/example', body)).json()
  }
  expect(await send('shop.test')).toMatchObject({ outcome: 'accepted' })
  expect(await send('direct.test')).toMatchObject({ error: 'dns' })
  expect(connects).toMatchObject([{ authority: `shop.test:${merchant.port}` }])
  await stop()
})
