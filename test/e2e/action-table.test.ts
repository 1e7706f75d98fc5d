// Shops build their frontends on these answers: every action of the identification and wait endpoints has exactly the
// documented attributes. Interface §4.1, §4.2, contract §4.
import { describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'
import { agreement, CODE, surnames } from './stages.ts'

const { server, shop, stages, answering } = await servedShop()

const money = (value: number, string: string) => ({ value, string })
const aUrlUnder = (path: string) => expect.stringMatching(new RegExp(`^${server.url}${path}`))
const sentences = [expect.stringMatching(/\S/)]

describe('the identification endpoint answers', () => {
  it('show_identification_form with every wrong field', async () => {
    const ref = await shop.place()
    expect(await shop.submit(ref, { nin: 7, city: '' })).toEqual({
      action: 'show_identification_form',
      errors: { nin: 'invalid', city: 'invalid' },
    })
  })

  it('require_validate_otp alone', async () => {
    const ref = await shop.place()
    expect(await shop.submit(ref)).toEqual({ action: 'require_validate_otp' })
  })

  it('wait_for_screening with expires_in_seconds and polling_url', async () => {
    const ref = await stages.identified()
    const action = await shop.submit(ref, { validation_code: CODE })
    expect(action).toEqual({
      action: 'wait_for_screening',
      expires_in_seconds: 60,
      polling_url: `${server.url}/api/v1/checkout/${ref}/wait`,
    })
  })

  it('wait_for_confirmation with polling_url', async () => {
    const { ref, action } = await stages.revealed({}, answering('confirming', 500))
    expect(action).toEqual({
      action: 'wait_for_confirmation',
      polling_url: `${server.url}/api/v1/checkout/${ref}/wait`,
    })
  })

  it('show_on_hold alone, while the merchant must put the order on hold and while an operator reviews it', async () => {
    const { ref, action } = await stages.revealed(surnames('review event'), answering('holding', 500))
    expect(action).toEqual({ action: 'show_on_hold' })
    const reviewed = await stages.settled(surnames('review event'))
    expect(await shop.wait(reviewed)).toMatchObject({ action: 'show_on_hold' })
    expect(await shop.submit(reviewed, surnames('review event'))).toEqual({ action: 'show_on_hold' })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_on_hold' })
  })

  it('alt_payment alone', async () => {
    const { action } = await stages.revealed(surnames('alternative event'))
    expect(action).toEqual({ action: 'alt_payment' })
  })

  it('wait_for_id_verification with session_url, status and message', async () => {
    const { action } = await stages.revealed(surnames('identity event'))
    expect(action).toEqual({
      action: 'wait_for_id_verification',
      session_url: aUrlUnder('/'),
      status: 'STARTED',
      message: expect.stringMatching(/\S/),
    })
  })

  it('require_payment with iframe_url, reusable_cards and amount', async () => {
    const { action } = await stages.revealed(agreement('fp1'))
    expect(action).toEqual({
      action: 'require_payment',
      iframe_url: aUrlUnder('/'),
      reusable_cards: [],
      amount: money(12_100, '€121.00'),
    })
  })

  it('finish with return_url, with SQ_PRODUCT_CODE replaced by the product code', async () => {
    const ref = await stages.settled()
    expect(await shop.submit(ref)).toEqual({
      action: 'finish',
      return_url: `${server.url}/demo/return?product=i1`,
    })
  })

  it('reject alone', async () => {
    const { action } = await stages.revealed(surnames('denial event'))
    expect(action).toEqual({ action: 'reject' })
  })

  it('show_error with messages and the same list as errors', async () => {
    const { ref, action } = await stages.revealed(surnames('failure event'))
    expect(action).toEqual({ action: 'show_error', messages: sentences, errors: sentences })
    expect(action.errors).toEqual(action.messages)
    expect(await shop.submit(ref, surnames('failure event'))).toEqual(action)
  })

  it('show_error if the merchant refused the order, because only wait answers show_conflict', async () => {
    const ref = await stages.settled({}, answering('conflict-identification', 409))
    expect(await shop.submit(ref)).toEqual({ action: 'show_error', messages: sentences, errors: sentences })
    expect(await shop.wait(ref)).toEqual({ action: 'show_conflict' })
  })
})

describe('the wait endpoint answers', () => {
  it('show_identification_form without errors, even after a refused submission', async () => {
    const ref = await shop.place()
    expect(await shop.wait(ref)).toEqual({ action: 'show_identification_form' })
    await shop.submit(ref, { nin: '' })
    expect(await shop.wait(ref)).toEqual({ action: 'show_identification_form' })
  })

  it('require_validate_otp alone', async () => {
    const ref = await stages.identified()
    expect(await shop.wait(ref)).toEqual({ action: 'require_validate_otp' })
  })

  it('wait_for_screening with expires_in, in whole seconds that count down', async () => {
    const ref = await stages.proven(surnames('expiry event'))
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_screening', expires_in: 60 })
    await shop.advance(20)
    const { expires_in: left, ...rest } = await shop.wait(ref)
    expect(rest).toEqual({ action: 'wait_for_screening' })
    expect(left).toBeGreaterThanOrEqual(39)
    expect(left).toBeLessThanOrEqual(40)
    expect(await shop.submit(ref, surnames('expiry event'))).toEqual({
      action: 'wait_for_screening',
      expires_in_seconds: left,
      polling_url: `${server.url}/api/v1/checkout/${ref}/wait`,
    })
  })

  it('resume_after_screening alone, until the next submission', async () => {
    const ref = await stages.screened()
    expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
    await shop.advance(3_600)
    expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
  })

  it('wait_for_confirmation and wait_for_on_hold without polling_url', async () => {
    const confirming = await stages.settled({}, answering('wait-confirming', 500))
    const holding = await stages.settled(surnames('review event'), answering('wait-holding', 500))
    expect(await shop.wait(confirming)).toEqual({ action: 'wait_for_confirmation' })
    expect(await shop.wait(holding)).toEqual({ action: 'wait_for_on_hold' })
  })

  it('show_on_hold and finish with return_url', async () => {
    const held = await stages.settled(surnames('review event'))
    const finished = await stages.settled({}, { product_code: 'i1' })
    const return_url = `${server.url}/demo/return?product=i1`
    expect(await shop.wait(held)).toEqual({ action: 'show_on_hold', return_url })
    expect(await shop.wait(finished)).toEqual({ action: 'finish', return_url })
  })

  it('show_conflict alone, if the merchant answered the IPN with 409 or 410', async () => {
    for (const status of [409, 410]) {
      const ref = await stages.settled({}, answering(`conflict-${status}`, status))
      expect(await shop.wait(ref)).toEqual({ action: 'show_conflict' })
    }
  })

  it('alt_payment with its five attributes', async () => {
    const { ref } = await stages.revealed(surnames('alternative event'))
    expect(await shop.wait(ref)).toEqual({
      action: 'alt_payment',
      title: expect.stringMatching(/\S/),
      messages: sentences,
      credit_agreements: [
        {
          product: 'i1',
          instalment_count: 1,
          grand_total: money(12_100, '€121.00'),
          instalment_total: money(12_100, '€121.00'),
          down_payment_total: money(0, '€0.00'),
          cost_of_credit: money(0, '€0.00'),
        },
      ],
      forced_credit_agreement_index: 0,
      errors: {},
    })
  })

  it('wait_for_id_verification and require_payment with the same attributes as identification', async () => {
    const verifying = await stages.revealed(surnames('identity event'))
    const paying = await stages.revealed(agreement('sp1', 3))
    expect(await shop.wait(verifying.ref)).toEqual(verifying.action)
    expect(await shop.wait(paying.ref)).toEqual(paying.action)
  })

  it('show_error with messages alone, and reject alone', async () => {
    const failed = await stages.revealed(surnames('failure event'))
    const denied = await stages.revealed(surnames('denial event'))
    expect(await shop.wait(failed.ref)).toEqual({ action: 'show_error', messages: failed.action.messages })
    expect(await shop.wait(denied.ref)).toEqual({ action: 'reject' })
  })
})

describe('return_url', () => {
  it.each([
    ['i1', 1],
    ['pp3', 6],
    ['fp1', 1],
  ])('names the agreed product, %s', async (product, count) => {
    const extra = agreement(product, count)
    const { ref, action } = await stages.revealed(extra)
    if (action.action === 'require_payment') await shop.pay(action.iframe_url)
    await shop.advance(0)
    expect(await shop.wait(ref)).toEqual({
      action: 'finish',
      return_url: `${server.url}/demo/return?product=${product}`,
    })
  })

  it('is returned unchanged if it does not contain SQ_PRODUCT_CODE', async () => {
    const ref = await stages.settled({}, { merchant: { return_url: 'https://shop.example/thanks?a=b#c' } })
    expect(await shop.wait(ref)).toEqual({ action: 'finish', return_url: 'https://shop.example/thanks?a=b#c' })
  })
})

describe('polling', () => {
  it.each([
    ['identification', () => shop.place()],
    ['the code', () => stages.identified()],
    ['screening', () => stages.proven(surnames('expiry event'))],
    ['the outcome', () => stages.screened()],
    ['payment', async () => (await stages.revealed(agreement('fp1'))).ref],
    ['an alternative', async () => (await stages.revealed(surnames('alternative event'))).ref],
    ['ID verification', async () => (await stages.revealed(surnames('identity event'))).ref],
    ['the finish', () => stages.settled()],
  ])('changes nothing while the order awaits %s', async (_, reach) => {
    const ref = await reach()
    await shop.advance(0)
    const before = [await shop.order(ref), await shop.history(ref), await shop.messages(ref)]
    const first = await shop.wait(ref)
    for (let n = 0; n < 5; n++) expect(await shop.wait(ref)).toMatchObject({ action: first.action })
    expect([await shop.order(ref), await shop.history(ref), await shop.messages(ref)]).toEqual(before)
  })
})

describe('a repeated submission', () => {
  it.each([
    ['screening runs', () => stages.proven(surnames('expiry event')), surnames('expiry event')],
    ['a payment is due', async () => (await stages.revealed(agreement('fp1'))).ref, agreement('fp1')],
    [
      'an alternative is offered',
      async () => (await stages.revealed(surnames('alternative event'))).ref,
      surnames('alternative event'),
    ],
    [
      'an ID session runs',
      async () => (await stages.revealed(surnames('identity event'))).ref,
      surnames('identity event'),
    ],
    ['the merchant is asked', () => stages.settled({}, answering('repeated', 500)), {}],
    ['the checkout is finished', () => stages.settled(), {}],
    ['the order is denied', () => stages.settled(surnames('denial event')), surnames('denial event')],
  ])('returns the same action and changes nothing when %s', async (_, reach, extra) => {
    const ref = await reach()
    await shop.advance(0)
    const before = [await shop.order(ref), await shop.history(ref), await shop.messages(ref)]
    const first = await shop.submit(ref, extra)
    for (let n = 0; n < 4; n++) expect(await shop.submit(ref, extra)).toMatchObject({ action: first.action })
    expect([await shop.order(ref), await shop.history(ref), await shop.messages(ref)]).toEqual(before)
  })

  it('sends one SMS and takes one path, even for fifty at once', async () => {
    const ref = await shop.place()
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.submit(ref)))
    expect(new Set(answers.map((action) => JSON.stringify(action)))).toEqual(
      new Set(['{"action":"require_validate_otp"}']),
    )
    await shop.advance(0)
    expect(await shop.messages(ref)).toHaveLength(1)

    const codes = await Promise.all(Array.from({ length: 50 }, () => shop.submit(ref, { validation_code: CODE })))
    expect(new Set(codes.map(({ action }) => action))).toEqual(new Set(['wait_for_screening']))
    await shop.advance(1)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => shop.submit(ref)))
    for (const { action } of outcomes) expect(['wait_for_confirmation', 'finish']).toContain(action)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const events = (await shop.history(ref)).map(({ event }) => event)
    expect(events.filter((event) => event === 'screening.resolved')).toHaveLength(1)
    expect(events.filter((event) => event === 'ipn.accepted')).toHaveLength(1)
  })
})
