import type { PaymentUpdate } from '@plazo/core'
import { unavailable } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { orderBody, PERSON } from '../../../../test/harness/shop.ts'
import { memoryStore } from '../memory/store.ts'
import { type CheckoutFailure, type CheckoutParts, openCheckout } from './open-checkout.ts'
import { statusOf } from './use-case-errors.ts'

const page = (...path: readonly string[]): string => `https://pay.example/${path.join('/')}`
const SECRET = '0123456789abcdef0123456789abcdef'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const open = (overrides: Partial<CheckoutParts> = {}) => {
  const codes: string[] = []
  const failures: CheckoutFailure[] = []
  const posted: string[] = []
  const store = memoryStore()
  const checkout = openCheckout({
    store,
    service: 'Service',
    links: { wait: page, pay: page, payWithCard: page, verify: page, cancellationRequest: page },
    merchant: {
      ref: 'demo',
      name: 'A shop',
      signatureSecret: SECRET,
      country: 'ES',
      currency: 'EUR',
      products: ['i1', 'pp3'],
      optionalFields: [],
      sendActionEvents: false,
    },
    providers: {
      screening: { screen: async () => ({ outcome: 'approved', alternative: null }) },
      sms: { send: async ({ payload }) => void codes.push(payload.code) },
    },
    guard: { checkUrl: () => null, checkPage: () => null },
    gateway: () => ({
      post: ({ body }) => {
        posted.push(body)
        return TE.right({ status: 200, retryAfter: null, body: '{}' })
      },
      close: () => {},
    }),
    onFailure: (failure) => failures.push(failure),
    ...overrides,
  })
  onTestFinished(() => checkout.close())

  const place = async (): Promise<string> => {
    const { status, body } = await checkout.place(orderBody({}, 'https://shop.example'))
    if (status !== 200) throw new Error(body.errors.join(' '))
    return body
  }
  /** Submits the form until it has passed the code. */
  const identify = async (form: object = {}): Promise<string> => {
    const orderRef = await place()
    await checkout.submit(orderRef, { ...PERSON, ...form })
    await checkout.drain()
    await checkout.submit(orderRef, { ...PERSON, ...form, validation_code: codes.at(-1) })
    await checkout.drain()
    return orderRef
  }
  return { checkout, store, failures, posted, codes, place, identify }
}

const checkoutOf = (body: unknown): unknown =>
  (body as { readonly state: { readonly checkout: string } }).state.checkout

describe('a small host', () => {
  it('takes a payment by the token in its link', async () => {
    const { checkout, identify } = open()
    const agreement = { credit_agreement: { product: 'pp3', instalment_count: 3 } }
    const orderRef = await identify(agreement)
    const { body } = await checkout.submit(orderRef, { ...PERSON, ...agreement })
    const { iframe_url: link } = body as { readonly iframe_url: string }
    const token = link.split('/').at(-1) ?? ''
    const update: PaymentUpdate = { type: 'payment.succeeded', card: null, keep: false }
    const paid = await checkout.pay(orderRef, token, update)
    expect([paid.status, checkoutOf(paid.body)]).toEqual([200, 'confirming'])
    expect(await checkout.pay(orderRef, 'another', update)).toEqual({
      status: 404,
      body: { errors: ['Payment not found.'] },
    })
  })

  it('answers each error as the bundled server does', async () => {
    const { checkout, place } = open()
    const orderRef = await place()
    const wrong = await checkout.place({ order: { merchant: {} } })
    expect([wrong.status, wrong.body]).toEqual([
      409,
      { errors: expect.arrayContaining([expect.stringContaining('Invalid data: ')]) },
    ])
    for (const call of [checkout.wait, checkout.view, checkout.approve, checkout.reject])
      expect((await call(UNKNOWN)).status).toBe(404)
    expect((await checkout.verify(orderRef, 'none', 'VERIFIED')).status).toBe(404)
    expect((await checkout.approve(orderRef)).status).toBe(409)
    expect((await checkout.update('none', {})).status).toBe(404)
    expect((await checkout.confirm(orderRef, {})).status).toBe(409)
    expect(statusOf('ProductNotOffered')).toBe(400)
  })

  it('reports a store that does not answer, and tells the client to try again', async () => {
    const store = memoryStore()
    const { checkout, failures } = open({
      store: { ...store, read: () => async () => unavailable('no_answer', 'away') },
    })
    expect(await checkout.wait(UNKNOWN)).toEqual({
      status: 503,
      body: { errors: ['The service is temporarily unavailable. Try again.'] },
    })
    expect(failures).toMatchObject([{ where: 'wait', error: { _tag: 'Unavailable' } }])
  })
})

describe('a wrong part', () => {
  const merchant = {
    ...{ ref: 'demo', name: 'A shop', signatureSecret: SECRET, country: 'ES', currency: 'EUR' },
    ...{ products: ['i1'], optionalFields: ['city'], sendActionEvents: false },
  }
  const links = {
    wait: page,
    pay: page,
    payWithCard: page,
    verify: page,
    cancellationRequest: page,
  }
  const relative = (...path: readonly string[]): string => `/${path.join('/')}`

  it.each<[string, object]>([
    [
      'service must be a letter, then letters and digits (got "My Service")',
      { service: 'My Service' },
    ],
    ['service', { service: undefined }],
    ['merchant.ref', { merchant: { ...merchant, ref: 'a/b' } }],
    ['merchant.name', { merchant: { ...merchant, name: ' ' } }],
    [
      'merchant.signatureSecret must be 32 hex digits (got string)',
      { merchant: { ...merchant, signatureSecret: 'abc' } },
    ],
    ['merchant.country', { merchant: { ...merchant, country: 'UK' } }],
    ['merchant.currency', { merchant: { ...merchant, currency: 'EURO' } }],
    ['merchant.products', { merchant: { ...merchant, products: [] } }],
    ['merchant.optionalFields', { merchant: { ...merchant, optionalFields: ['shoe_size'] } }],
    [
      'links.pay must be a function that returns an absolute URL',
      { links: { ...links, pay: relative } },
    ],
    ['links.pay must be', { links: { ...links, pay: 'https://shop.example' } }],
    ['links.verify', { links: { ...links, verify: undefined } }],
    ['links.wait', { links: undefined }],
    ['merchant.ref', { merchant: undefined }],
    ['providers.screening.screen', { providers: { sms: { send: async () => {} } } }],
    ['providers.sms.send must be a function (got undefined)', { providers: undefined }],
    ['providers.risk.watch', { providers: { risk: { assess: async () => 'low_risk' } } }],
    ['guard.checkUrl', { guard: undefined }],
    ['gateway must be a function', { gateway: undefined }],
    ['store.step must be a function', { store: undefined }],
  ])('is refused at once with a sentence: %s', (sentence, parts) => {
    expect(() => open(parts)).toThrow(sentence)
  })

  it('is named with every other', () => {
    expect(() => open({ service: '', links: { ...links, wait: relative } })).toThrow(
      /^service must .*\nlinks\.wait must /,
    )
  })
})

describe('an async provider that throws', () => {
  const broken = async (): Promise<never> => {
    throw new TypeError('Ana has no phone')
  }
  const providers: CheckoutParts['providers'] = {
    screening: { screen: broken },
    sms: { send: broken },
  }

  it('is reported with the effect that it did not answer, and what it threw', async () => {
    const { checkout, failures, place } = open({ providers })
    const orderRef = await place()
    await checkout.submit(orderRef, PERSON)
    await checkout.drain()
    expect(failures).toEqual([
      {
        where: expect.stringMatching(`^sms ${orderRef}:`),
        error: { reason: 'other', message: 'The provider threw an error.' },
        thrown: expect.objectContaining({
          message: 'Ana has no phone',
          names: ['TypeError', 'TypeError'],
        }),
      },
    ])
  })

  it('is reported on standard error by default, without a shopper’s data', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const { checkout, place } = open({ providers, onFailure: undefined as never })
    const orderRef = await place()
    await checkout.submit(orderRef, PERSON)
    await checkout.drain()
    const [[line = ''] = []] = printed.mock.calls
    expect(line).toMatch(
      /^plazo: sms \S+ failed \(other\), because TypeError was thrown\. Give onFailure to see more\.$/,
    )
  })
})
