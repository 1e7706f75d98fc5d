// The one-time code sent by SMS: when it is sent, when it becomes void, and how often it can be requested. Contract §4, OTP;
// §8.
import { describe, expect, it } from 'vitest'
import { type Action, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { CODE } from './stages.ts'

const { shop, stages } = await servedShop()

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
})
