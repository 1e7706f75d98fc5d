// The identification endpoint validates the shopper's data. A rule that is too strict turns shoppers away. Interface §2.1,
// contract §4, Fields.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { type Json, PERSON, type Shop, shopAt } from '../harness/shop.ts'

let server: RunningServer
let shop: Shop
let ref: string

beforeAll(async () => {
  server = await startServer()
  shop = shopAt(server.url)
})
afterAll(() => server.kill())

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

  it('answers a missing field, null, an empty string, blanks and a wrong type alike', async () => {
    for (const field of Object.keys(PERSON))
      for (const given of [undefined, null, '', '  ', 5, {}, ['x']])
        expect(await shop.submit(ref, { [field]: given }), `${field} ${JSON.stringify(given)}`).toEqual(refusing(field))
  })

  it('accepts the privacy policy only if it is true', async () => {
    for (const given of [false, 'true', 1, 'on'])
      expect(await shop.submit(ref, { service_privacy_policy_accepted: given })).toEqual(
        refusing('service_privacy_policy_accepted'),
      )
  })

  it.each<[string, Json, readonly string[]]>([
    ['one surname', { surnames: 'Prueba' }, ['surnames']],
    ['a day of one digit', { dob_day: '2' }, ['dob_day']],
    ['a month of one digit', { dob_month: '1' }, ['dob_month']],
    ['a year of two digits', { dob_year: '80' }, ['dob_year']],
    ['day 00', { dob_day: '00' }, ['dob_day']],
    ['day 32', { dob_day: '32' }, ['dob_day']],
    ['month 00', { dob_month: '00' }, ['dob_month']],
    ['month 13', { dob_month: '13' }, ['dob_month']],
    ['the 31st of April', { dob_day: '31', dob_month: '04' }, ['dob_day']],
    ['the 29th of February of a common year', { dob_day: '29', dob_month: '02', dob_year: '1981' }, ['dob_day']],
    ['a child', { dob_year: '2020' }, ['dob_year']],
    ['somebody not born yet', { dob_year: '2999' }, ['dob_year']],
    ['a phone of letters', { mobile_phone: 'six hundred' }, ['mobile_phone']],
    ['a phone too short', { mobile_phone: '12' }, ['mobile_phone']],
    ['a nin of four', { nin: '1234' }, ['nin']],
    ['a nin of 21', { nin: '1'.repeat(21) }, ['nin']],
    ['a nin with a sign', { nin: '12345_678' }, ['nin']],
    ['a postal code of two', { postal_code: '28' }, ['postal_code']],
    ['a postal code of eleven', { postal_code: '12345678901' }, ['postal_code']],
    ['a postal code with a sign', { postal_code: '28_013' }, ['postal_code']],
    ['several at once', { surnames: 'X', dob_day: 'xx', nin: '!' }, ['surnames', 'dob_day', 'nin']],
  ])('names the wrong fields for %s', async (_, extra, fields) => {
    expect(await shop.submit(ref, extra)).toEqual(refusing(...fields))
  })

  it.each<[string, unknown]>([
    ['a product the merchant has not', { product: 'zz9', instalment_count: 1 }],
    ['a number of instalments not offered', { product: 'pp3', instalment_count: 4 }],
    ['a number as text', { product: 'pp3', instalment_count: '3' }],
    ['no number', { product: 'pp3' }],
    ['no product', { instalment_count: 3 }],
    ['an empty object', {}],
    ['an array', [{ product: 'i1', instalment_count: 1 }]],
    ['a text', 'i1'],
    ['a number', 1],
    ['false', false],
  ])('names credit_agreement for %s', async (_, given) => {
    expect(await shop.submit(ref, { credit_agreement: given })).toEqual(refusing('credit_agreement'))
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
    ['with an international phone', { mobile_phone: '+34 600 123 456' }],
    ['with a phone led by 00', { mobile_phone: '0034600123456' }],
    ['with a foreign document', { nin: 'AB12345' }],
    ['with a foreign postal code', { postal_code: 'SW1A 1AA' }],
    ['with a postal code with a hyphen', { postal_code: '1234-567' }],
    ['by somebody born on a 29th of February', { dob_day: '29', dob_month: '02', dob_year: '1980' }],
    ['with a code where none is asked for, whatever it is', { validation_code: { not: 'a code' } }],
  ])('leads to a request for a code: %s', async (_, extra) => {
    ref = await shop.place()
    expect(await shop.submit(ref, extra)).toEqual({ action: 'require_validate_otp' })
  })

  it('requires the minimum age to the day', async () => {
    const { now } = (await (await shop.send('GET', '/sandbox/clock')).json()) as { readonly now: string }
    const today = new Date(now)
    const born = (daysLater: number): Json => {
      const day = new Date(Date.UTC(today.getUTCFullYear() - 18, today.getUTCMonth(), today.getUTCDate() + daysLater))
      const [dob_year, dob_month, dob_day] = day.toISOString().slice(0, 10).split('-')
      return { dob_year, dob_month, dob_day }
    }
    ref = await shop.place()
    expect(await shop.submit(ref, born(1))).toEqual(refusing('dob_year'))
    expect(await shop.submit(ref, born(0))).toEqual({ action: 'require_validate_otp' })
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

  it('is the order’s preferred product, otherwise the merchant’s first', async () => {
    const hinted = await shop.place({ product_code: 'pp3' })
    const plain = await shop.place()
    for (const each of [hinted, plain]) {
      await shop.submit(each)
      await shop.submit(each, { validation_code: '12345' })
    }
    await shop.advance(1)
    expect(await shop.order(hinted)).toMatchObject({ product: 'pp3' })
    expect(await shop.submit(hinted)).toMatchObject({ action: 'require_payment', amount: { value: 4_034 + 250 } })
    expect(await shop.submit(plain)).toMatchObject({ action: 'wait_for_confirmation' })
    expect(await shop.order(plain)).toMatchObject({ product: 'i1' })
  })
})
