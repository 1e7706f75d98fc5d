// Checks such as the code and screening hold for one person only. If another person submits, they start over. Contract §4.
import { describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'
import { agreement, CODE, countEvents, surnames } from './stages.ts'

const { shop, stages, answering } = await servedShop()

const ASKED = { action: 'require_validate_otp' }
const OTHER = { nin: '11111111H' }

it('a shopper remains the same person with a new address and another spelling of the nin', async () => {
  const ref = await stages.identified()
  const extra = { nin: '12.345.678-z', city: 'Barcelona', validation_code: CODE }
  expect(await shop.submit(ref, extra)).toMatchObject({ action: 'wait_for_screening' })
})

describe('a submission by another person', () => {
  it('voids the old code at once, even for the first person', async () => {
    const ref = await stages.identified()
    await shop.submit(ref, OTHER)
    const wrong = { action: 'show_identification_form', errors: { validation_code: 'invalid' } }
    expect(await shop.submit(ref, { ...OTHER, validation_code: CODE })).toEqual(wrong)
    // A return to the first person is again a change of person.
    expect(await shop.submit(ref, { validation_code: CODE })).toEqual(ASKED)
    expect(await shop.submit(ref, { validation_code: CODE })).toEqual(wrong)
  })

  it.each<[string, () => Promise<string>]>([
    ['the code is awaited', () => stages.identified()],
    ['screening runs', () => stages.proven(surnames('expiry event'))],
    ['an ID session runs', async () => (await stages.revealed(surnames('identity event'))).ref],
    ['a payment is due', async () => (await stages.revealed(agreement('fp1'))).ref],
  ])('starts over with a new code when %s, and repeats all checks', async (_, reach) => {
    const ref = await reach()
    expect(await shop.submit(ref, { ...OTHER, validation_code: CODE })).toEqual(ASKED)
    await shop.advance(30)
    expect(await shop.wait(ref)).toEqual(ASKED)
    expect(await shop.submit(ref, OTHER)).toEqual(ASKED)
    expect(await shop.submit(ref, { ...OTHER, validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
    await shop.advance(1)
    expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
    await shop.submit(ref, OTHER)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await shop.order(ref)).toMatchObject({ product: 'i1' })
  })

  it('voids the open payment, and refunds it exactly once if it succeeds anyway', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    await shop.submit(ref, { ...OTHER, ...agreement('fp1') })
    await shop.advance(0)
    expect(await shop.pay(action.iframe_url)).toEqual({ action: 'Service.payment_successful' })
    expect(await shop.pay(action.iframe_url)).toEqual({ action: 'Service.payment_successful' })
    await shop.advance(30)
    expect(await shop.wait(ref)).toEqual(ASKED)
    expect(await countEvents(shop, ref, 'payment.refunded')).toBe(1)

    // Nothing carries over: the new person pays for themselves.
    await shop.submit(ref, { ...OTHER, ...agreement('fp1') })
    await shop.submit(ref, { ...OTHER, ...agreement('fp1'), validation_code: CODE })
    await shop.advance(1)
    const codeRequest = await shop.submit(ref, { ...OTHER, ...agreement('fp1') })
    expect(codeRequest).toMatchObject({ action: 'require_payment', reusable_cards: [] })
    expect(codeRequest.iframe_url).not.toBe(action.iframe_url)
    expect(await shop.pay(action.iframe_url)).toEqual({ action: 'Service.payment_successful' })
    await shop.advance(0)
    expect(await shop.wait(ref)).toEqual(codeRequest)
    await shop.pay(codeRequest.iframe_url)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await countEvents(shop, ref, 'payment.refunded')).toBe(1)
  })

  it('changes nothing after a payment has succeeded, or from wait_for_confirmation on', async () => {
    const refs = [
      await stages.paid({}, answering('paid', 500)),
      await stages.settled({}, answering('confirming', 500)),
      await stages.settled(surnames('review event'), answering('holding', 500)),
      await stages.settled(surnames('review event')),
      await stages.settled(),
      await stages.settled(surnames('denial event')),
      await stages.settled(surnames('failure event')),
    ]
    await shop.advance(0)
    for (const ref of refs) {
      const before = [await shop.wait(ref), await shop.history(ref), await shop.messages(ref)]
      await shop.submit(ref, { ...OTHER, validation_code: CODE })
      expect([await shop.wait(ref), await shop.history(ref), await shop.messages(ref)]).toEqual(before)
    }
  })
})
