// The one-time code sent by SMS: when it is sent, when it becomes void, and how often it can be requested. Contract §4, OTP;
// §8.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { type Action, PERSON, type Shop, shopAt } from '../harness/shop.ts'
import { CODE, checkoutOf, countEvents, stagesOf } from './stages.ts'

let server: RunningServer
let shop: Shop
let stages: ReturnType<typeof stagesOf>

beforeAll(async () => {
  server = await startServer()
  shop = shopAt(server.url)
  stages = stagesOf(shop)
})
afterAll(() => server.kill())

const ASKED: Action = { action: 'require_validate_otp' }
const WRONG: Action = { action: 'show_identification_form', errors: { validation_code: 'invalid' } } as Action

const codesSent = async (ref: string): Promise<readonly string[]> => {
  await shop.advance(0)
  return (await shop.messages(ref)).map(({ code }) => code)
}

/** Returns a code of five digits that differs from all of these. */
const otherThan = (...codes: readonly string[]): string =>
  ['11111', '22222', '33333', '44444', '55555'].find((code) => !codes.includes(code)) ?? ''

describe('a code', () => {
  it('has five digits, is sent once to the given phone, and is part of the text', async () => {
    const ref = await stages.identified()
    await shop.advance(0)
    expect(await shop.messages(ref)).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        to: PERSON.mobile_phone,
        text: expect.stringMatching(/\d{5}/),
        code: expect.stringMatching(/^\d{5}$/),
      },
    ])
    const [message] = await shop.messages(ref)
    expect(message?.text).toContain(message?.code)
  })

  it('continues the checkout once it is submitted', async () => {
    const ref = await stages.identified()
    const [code] = await codesSent(ref)
    expect(await shop.submit(ref, { validation_code: code })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('may be 12345 in the sandbox', async () => {
    const ref = await stages.identified()
    expect(await shop.submit(ref, { validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('that is wrong, or does not have five digits, is reported and changes no state', async () => {
    const ref = await stages.identified()
    const [code = ''] = await codesSent(ref)
    for (const given of [otherThan(code), '1234', '123456', 'abcde', 12_345, true, ['12345'], {}])
      expect(await shop.submit(ref, { validation_code: given }), JSON.stringify(given)).toEqual(WRONG)
    expect(await shop.wait(ref)).toEqual(ASKED)
  })

  it('is valid for five minutes', async () => {
    const early = await stages.identified()
    await shop.advance(298)
    expect(await shop.submit(early, { validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })

    const late = await stages.identified()
    const [code] = await codesSent(late)
    await shop.advance(301)
    for (const given of [code, CODE]) expect(await shop.submit(late, { validation_code: given })).toEqual(WRONG)
    expect(await shop.submit(late)).toEqual(ASKED)
    expect(await codesSent(late)).toHaveLength(2)
    expect(await shop.submit(late, { validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('is void after five wrong attempts, and so is 12345, until another is sent', async () => {
    const ref = await stages.identified()
    const [code = ''] = await codesSent(ref)
    for (let n = 0; n < 5; n++) expect(await shop.submit(ref, { validation_code: otherThan(code) })).toEqual(WRONG)
    for (const given of [code, CODE]) expect(await shop.submit(ref, { validation_code: given })).toEqual(WRONG)
    expect(await shop.wait(ref)).toEqual(ASKED)
    await shop.advance(30)
    expect(await shop.submit(ref)).toEqual(ASKED)
    const [, second] = await codesSent(ref)
    expect(await shop.submit(ref, { validation_code: second })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('still works after four wrong ones', async () => {
    const ref = await stages.identified()
    const [code = ''] = await codesSent(ref)
    for (let n = 0; n < 4; n++) expect(await shop.submit(ref, { validation_code: otherThan(code) })).toEqual(WRONG)
    expect(await shop.submit(ref, { validation_code: code })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('is replaced by the next one', async () => {
    const ref = await stages.identified()
    await shop.advance(30)
    await shop.submit(ref)
    const [first = '', second = ''] = await codesSent(ref)
    if (first !== second) expect(await shop.submit(ref, { validation_code: first })).toEqual(WRONG)
    expect(await shop.submit(ref, { validation_code: second })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('is ignored if none is expected', async () => {
    const ref = await shop.place()
    expect(await shop.submit(ref, { validation_code: CODE })).toEqual(ASKED)
    expect(await shop.submit(ref, { validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
    expect(await shop.submit(ref, { validation_code: '99999' })).toMatchObject({ action: 'wait_for_screening' })
    expect(await shop.submit(ref, { validation_code: {} })).toMatchObject({ action: 'wait_for_screening' })
    await shop.advance(1)
    expect(await shop.submit(ref, { validation_code: '99999' })).toMatchObject({ action: 'wait_for_confirmation' })
  })

  it('is requested again if it is null or missing', async () => {
    const ref = await stages.identified()
    expect(await shop.submit(ref, { validation_code: null })).toEqual(ASKED)
    expect(await codesSent(ref)).toHaveLength(1)
  })

  it('never appears in the history', async () => {
    const ref = await stages.proven()
    const [code = ''] = await codesSent(ref)
    const text = JSON.stringify(await shop.history(ref))
    expect(text).not.toContain(code)
    for (const personal of [PERSON.nin, PERSON.surnames, PERSON.mobile_phone]) expect(text).not.toContain(personal)
  })
})

describe('another code', () => {
  it('is not sent within 30 s', async () => {
    const ref = await stages.identified()
    await shop.advance(28)
    expect(await shop.submit(ref)).toEqual(ASKED)
    expect(await codesSent(ref)).toHaveLength(1)
    await shop.advance(2)
    expect(await shop.submit(ref)).toEqual(ASKED)
    expect(await codesSent(ref)).toHaveLength(2)
  })

  it('is sent at most three times, and a request 30 s after the third ends the checkout', async () => {
    const ref = await stages.identified()
    for (const count of [2, 3]) {
      await shop.advance(30)
      expect(await shop.submit(ref)).toEqual(ASKED)
      expect(await codesSent(ref)).toHaveLength(count)
    }
    expect(await shop.submit(ref)).toEqual(ASKED)
    await shop.advance(30)
    const ended = await shop.submit(ref)
    expect(ended).toEqual({ action: 'show_error', messages: ended.messages, errors: ended.messages })
    expect(await codesSent(ref)).toHaveLength(3)
    expect(await shop.submit(ref, { validation_code: CODE })).toEqual(ended)
    expect(await shop.wait(ref)).toEqual({ action: 'show_error', messages: ended.messages })
  })

  it('does not void the third one, which is still accepted after its pause', async () => {
    const ref = await stages.identified()
    for (let n = 0; n < 2; n++) {
      await shop.advance(30)
      await shop.submit(ref)
    }
    await shop.advance(60)
    expect(await shop.submit(ref, { validation_code: CODE })).toMatchObject({ action: 'wait_for_screening' })
  })

  it('counts per order, no matter which person is submitted', async () => {
    const ref = await stages.identified()
    for (const nin of ['11111111H', '22222222J']) {
      expect(await shop.submit(ref, { nin })).toEqual(ASKED)
      await shop.advance(30)
      expect(await shop.submit(ref, { nin })).toEqual(ASKED)
    }
    expect(await codesSent(ref)).toHaveLength(3)
    await shop.advance(30)
    expect(await shop.submit(ref, { nin: '33333333P' })).toMatchObject({ action: 'show_error' })
    expect(await checkoutOf(shop, ref)).toBe('failed')
    expect(await countEvents(shop, ref, 'event.unsent')).toBe(0)
  })
})
