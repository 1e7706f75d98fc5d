// The identification endpoint validates the shopper's data. A rule that is too strict turns shoppers away. Interface §2.1,
// contract §4, Fields.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'

const { shop } = await servedShop()

let ref: string

const refusing = (...fields: readonly string[]) => ({
  action: 'show_identification_form',
  errors: Object.fromEntries(fields.map((field) => [field, 'invalid'])),
})

const send = async (body: unknown): Promise<Json> =>
  (await (await shop.send('POST', `/api/v1/checkout/${ref}/identification`, body)).json()) as Json

describe('a submission with wrong fields', () => {
  beforeAll(async () => {
    ref = await shop.place()
  })

  it('names all required fields if all are missing, but not credit_agreement', async () => {
    expect(await send({})).toEqual(refusing(...Object.keys(PERSON)))
  })

  it('answers a missing, an empty and a wrong field alike', async () => {
    for (const field of Object.keys(PERSON))
      for (const given of [undefined, '', {}])
        expect(await shop.submit(ref, { [field]: given }), `${field} ${JSON.stringify(given)}`).toEqual(refusing(field))
  })

  it.each<[string, Json, readonly string[]]>([
    ['a child', { dob_year: '2020' }, ['dob_year']],
    [
      'a plan that the product does not have',
      { credit_agreement: { product: 'i1', instalment_count: 2 } },
      ['credit_agreement'],
    ],
    ['several at once', { surnames: 'X', dob_day: 'xx', nin: '!' }, ['surnames', 'dob_day', 'nin']],
  ])('names the wrong fields for %s', async (_, extra, fields) => {
    expect(await shop.submit(ref, extra)).toEqual(refusing(...fields))
  })

  it('changes nothing', async () => {
    expect(await shop.history(ref)).toHaveLength(1)
    expect(await shop.messages(ref)).toEqual([])
    expect((await shop.order(ref)).state.checkout).toBe('identifying')
  })
})

describe('a valid submission', () => {
  it.each<[string, Json]>([
    ['with no credit_agreement', {}],
    ['with a null one', { credit_agreement: null }],
    ['with each plan offered', { credit_agreement: { product: 'pp3', instalment_count: 24 } }],
    ['with unknown members', { nickname: 'x', credit_agreement: { product: 'i1', instalment_count: 1, more: true } }],
    ['with a code where none is asked for, whatever it is', { validation_code: { not: 'a code' } }],
  ])('leads to a request for a code: %s', async (_, extra) => {
    ref = await shop.place()
    expect(await shop.submit(ref, extra)).toEqual({ action: 'require_validate_otp' })
  })
})

describe('fields are validated first', () => {
  it('in every state', async () => {
    ref = await shop.place()
    await shop.submit(ref)
    expect(await shop.submit(ref, { city: '', validation_code: '12345' })).toEqual(refusing('city'))
    await shop.submit(ref, { validation_code: '12345' })
    expect(await shop.submit(ref, { city: '' })).toEqual(refusing('city'))
    await shop.advance(1)
    expect(await shop.submit(ref, { city: '' })).toEqual(refusing('city'))
    await shop.submit(ref)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const before = await shop.history(ref)
    expect(await shop.submit(ref, { city: '' })).toEqual(refusing('city'))
    expect(await shop.history(ref)).toEqual(before)
  })
})

describe('the agreement', () => {
  it('is bound by the submission with the right code', async () => {
    ref = await shop.place()
    await shop.submit(ref, { credit_agreement: { product: 'fp1', instalment_count: 1 } })
    await shop.submit(ref, { validation_code: '12345', credit_agreement: { product: 'pp3', instalment_count: 6 } })
    await shop.advance(1)
    const action = await shop.submit(ref, { credit_agreement: { product: 'sp1', instalment_count: 3 } })
    expect(action.amount).toEqual({ value: 2_020 + 250, string: expect.any(String) })
    expect(await shop.order(ref)).toMatchObject({ product: 'pp3' })
  })
})
