// Checks such as the code and screening hold for one person only. If another person submits, they start over. Contract §4.
import { describe, expect, it } from 'vitest'
import { CARD, type Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, CODE, checkoutOf, countEvents, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

const ASKED = { action: 'require_validate_otp' }
const OTHER = { nin: '11111111H' }

describe('a shopper remains the same person if they change only', () => {
  it.each<[string, Json]>([
    ['separators and case of the nin', { nin: '12.345.678-z' }],
    ['case and blanks of the names', { given_names: ' ana   MARÍA ', surnames: 'PRUEBA  ensayo' }],
    ['the way Unicode writes them', { given_names: 'Ana María' }],
    ['signs in the phone', { mobile_phone: '600 12-34.56' }],
    ['address, postal code and city', { address: 'Elsewhere 2', postal_code: '08001', city: 'Barcelona' }],
  ])('%s', async (_, extra) => {
    const ref = await stages.identified()
    expect(await shop.submit(ref, { ...extra, validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('a leading 00 to a plus', async () => {
    const ref = await stages.identified({ mobile_phone: '+34600123456' })
    expect(await shop.submit(ref, { mobile_phone: '0034 600 123 456', validation_code: CODE })).toMatchObject({
      action: 'wait_for_screening',
    })
  })
})

describe('a shopper becomes another person if they change', () => {
  it.each<[string, Json]>([
    ['nin', OTHER],
    ['given names', { given_names: 'Eva' }],
    ['surnames', { surnames: 'Prueba Otra' }],
    ['day of birth', { dob_day: '03' }],
    ['month of birth', { dob_month: '02' }],
    ['year of birth', { dob_year: '1981' }],
    ['phone', { mobile_phone: '600123457' }],
    ['a plus before the phone', { mobile_phone: '+600123456' }],
  ])('%s, and the submitted code is ignored', async (_, extra) => {
    const ref = await stages.identified()
    expect(await shop.submit(ref, { ...extra, validation_code: CODE })).toEqual(ASKED)
    expect(await checkoutOf(shop, ref)).toBe('verifying_phone')
  })
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
    ['the outcome waits', () => stages.screened()],
    ['an alternative is offered', async () => (await stages.revealed(surnames('alternative event'))).ref],
    ['an ID session runs', async () => (await stages.revealed(surnames('identity event'))).ref],
    [
      'an ID is verified',
      async () => {
        const { ref, action } = await stages.revealed(surnames('identity event'))
        await shop.form(String(action.session_url), { status: 'VERIFIED' })
        return ref
      },
    ],
    [
      'an ID check has failed',
      async () => {
        const { ref, action } = await stages.revealed(surnames('identity event'))
        await shop.form(String(action.session_url), { status: 'FAILED' })
        return ref
      },
    ],
    [
      'an ID session broke',
      async () => {
        const { ref, action } = await stages.revealed(surnames('identity event'))
        await shop.form(String(action.session_url), { status: 'ERROR' })
        return ref
      },
    ],
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

  it('does not inherit the first person’s denial or ID check', async () => {
    for (const trigger of ['denial event', 'review event', 'failure event']) {
      const ref = await stages.screened(surnames(trigger))
      await shop.advance(30)
      expect(await shop.submit(ref, OTHER)).toEqual(ASKED)
      await shop.submit(ref, { ...OTHER, validation_code: CODE })
      await shop.advance(1)
      expect(await shop.submit(ref, OTHER)).toMatchObject({ action: 'wait_for_confirmation' })
    }
  })

  it('ignores a late outcome of the first person’s screening or ID session', async () => {
    const screening = await stages.proven(surnames('denial event'))
    const { ref: verifying } = await stages.revealed(surnames('verification event'))
    for (const ref of [screening, verifying]) expect(await shop.submit(ref, OTHER)).toEqual(ASKED)
    await shop.advance(60)
    for (const ref of [screening, verifying]) expect(await shop.wait(ref)).toEqual(ASKED)
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
    const asking = (name: string) => {
      const { ipn, merchant } = addressesAt(receiver, name)
      receiver.answer(ipn, { status: 500 })
      return { merchant }
    }
    const refs = [
      await stages.paid({}, asking('paid')),
      await stages.settled({}, asking('confirming')),
      await stages.settled(surnames('review event'), asking('holding')),
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

  it('does not inherit saved cards', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    await shop.pay(action.iframe_url, { ...CARD, save: 'on' })
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const { ref: second, action: offered } = await stages.revealed(agreement('fp1'))
    expect(offered.reusable_cards).toHaveLength(1)
    await shop.advance(30)
    const other = { ...OTHER, ...agreement('fp1') }
    await shop.submit(second, other)
    await shop.submit(second, { ...other, validation_code: CODE })
    await shop.advance(1)
    expect(await shop.submit(second, other)).toMatchObject({ action: 'require_payment', reusable_cards: [] })
  })
})
