// Merchants with their own settings: accounts, cards, and currencies. Contract §2, §4.
import { afterAll, describe, expect, it } from 'vitest'
import { startWithAccounts } from '../harness/accounts.ts'
import { startReceiver } from '../harness/receiver.ts'
import { CARD, type Json, orderBody, type Shop, shopAt } from '../harness/shop.ts'
import { agreement, stagesOf } from './stages.ts'

const SECRET = 'fedcba9876543210fedcba9876543210'

const { server, add, close } = await startWithAccounts()
const receiver = await startReceiver()
afterAll(async () => {
  await close()
  await receiver.close()
})

const demo = shopAt(server.url)
const sellingOptions = (currency: string, products: string) => [
  '--currency',
  currency,
  '--products',
  products,
]

// Merchants are added while the server runs. It sees them at once.
const pushed = [
  ...sellingOptions('EUR', 'i1,pp3,sp1,fp1'),
  '--secret',
  SECRET,
  '--send-action-events',
]
const pusher = await add('pusher', 'push', ...pushed)
const madrid = await add('madrid', 'iberia', ...sellingOptions('EUR', 'pp3,fp1'), '--country', 'ES')
const lisbon = await add('lisbon', 'iberia', ...sellingOptions('EUR', 'i1,fp1'), '--country', 'PT')

describe('an account', () => {
  it('sees only the credentials of its merchants', async () => {
    const all = (await (
      await madrid.asMerchant('GET', '/merchants/credentials')
    ).json()) as readonly Json[]
    expect(all.map(({ ref }) => ref)).toEqual(['madrid', 'lisbon'])
    expect(await (await madrid.asMerchant('GET', '/merchants/lisbon/credentials')).json()).toEqual(
      all[1],
    )
    expect(all[0]).toEqual({
      ref: 'madrid',
      name: 'Shop madrid',
      country: 'ES',
      currency: 'EUR',
      signature_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
      verify_signature: true,
      options: { send_action_events_in_identification: false },
    })
    expect((await madrid.asMerchant('GET', '/merchants/demo/credentials')).status).toBe(403)
    const credentials = await pusher.asMerchant('GET', '/merchants/pusher/credentials')
    expect(await credentials.json()).toMatchObject({
      signature_secret: SECRET,
      options: { send_action_events_in_identification: true },
    })
  })

  it('places orders for the merchant in the body, otherwise for the one in the header', async () => {
    const ref = await lisbon.place()
    expect(await madrid.order(ref)).toMatchObject({ merchant: 'lisbon', product: 'i1' })
    const { order } = orderBody({ merchant: { id: undefined } }, server.url) as {
      readonly order: Json
    }
    const placed = await madrid.send(
      'POST',
      '/orders',
      { order },
      {
        authorization: `Basic ${btoa('iberia:iberia-secret')}`,
        'service-merchant-id': 'lisbon',
      },
    )
    expect(placed.status).toBe(204)
    expect(
      await madrid.order(placed.headers.get('location')?.split('/').at(-1) ?? ''),
    ).toMatchObject({
      merchant: 'lisbon',
    })
  })

  it('shares saved cards among its merchants, but with no other account', async () => {
    const { action } = await stagesOf(madrid).revealed(agreement('fp1'))
    await madrid.pay(action.iframe_url, { ...CARD, save: 'on' })
    await madrid.advance(0)
    const cardsAt = async (shop: Shop) =>
      (await stagesOf(shop).revealed(agreement('fp1'))).action.reusable_cards
    expect(await cardsAt(lisbon)).toHaveLength(1)
    expect(await cardsAt(demo)).toEqual([])
  })
})
