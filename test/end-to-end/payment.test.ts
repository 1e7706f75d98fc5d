// Card payments: the amount due, attempts, 3-D Secure, saved cards and refunds. Contract §4,
// Payment, Saved cards. Sandbox rules, Cards.
import { describe, expect, it } from 'vitest'
import { CARD, type Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { agreement, countEvents } from './stages.ts'

const { server, shop, stages } = await servedShop()

const PAID = { action: 'Service.payment_successful' }
const refunds = async (ref: string): Promise<number> => {
  await shop.advance(0)
  return countEvents(shop, ref, 'payment.refunded')
}

it('a payment happens once, even if many requests pay at once', async () => {
  const { ref, action } = await stages.revealed(agreement('fp1'))
  const answers = await Promise.all(Array.from({ length: 20 }, () => shop.pay(action.iframe_url)))
  for (const answer of answers) expect(answer).toEqual(PAID)
  await shop.advance(0)
  expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  expect(await countEvents(shop, ref, 'payment.succeeded')).toBe(1)
  expect(await refunds(ref)).toBe(0)
})

describe('a saved card', () => {
  const shopper = { nin: '77777777B', mobile_phone: '677777777' }
  const fp1 = { ...shopper, ...agreement('fp1') }
  const saveCard = async (
    extra: Json,
    card: Readonly<Record<string, string>> = { ...CARD, save: 'on' },
  ) => {
    const { ref, action } = await stages.revealed(extra)
    const answer = await shop.pay(action.iframe_url, card)
    if (answer.src !== undefined) await shop.form(String(answer.src), { status: 'success' })
    await shop.advance(0)
    return ref
  }
  const offeredCards = async (extra: Json): Promise<readonly Json[]> => {
    const { action } = await stages.revealed({ ...agreement('fp1'), ...extra })
    return action.reusable_cards as readonly Json[]
  }

  it('is offered to the same nin and phone in a later order, and to nobody else', async () => {
    await saveCard(fp1)
    expect(await offeredCards(shopper)).toEqual([
      {
        iframe_url: expect.stringMatching(new RegExp(`^${server.url}/`)),
        expiry_month_year: '12/40',
        last_four: '1111',
        masked_pan: expect.stringMatching(/^\d{0,6}\D+1111$/),
      },
    ])
    expect(
      await offeredCards({
        nin: '7777.7777-b',
        mobile_phone: '677 77 77 77',
        surnames: 'Otra Vez',
      }),
    ).toHaveLength(1)
    expect(await offeredCards({ ...shopper, nin: '66666666Q' })).toEqual([])
    expect(await offeredCards({ ...shopper, mobile_phone: '677777778' })).toEqual([])
  })
})
