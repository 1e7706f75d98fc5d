// Takes orders along every path, then searches the raw bytes on the disk for everything that their
// shoppers said.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { servedShopOnFile } from '../../end-to-end/served-shop.ts'
import { merchantWords } from '../../harness/command-line.ts'
import {
  type Action,
  CHALLENGED_CARD,
  DECLINED_CARD,
  type Json,
  shopAt,
} from '../../harness/shop.ts'
import { rawBytes, tracesIn } from '../traces.ts'

const SHOPPER = {
  given_names: 'Aurelia Ñandú',
  mobile_phone: '+34 611 737 919',
  nin: '48291735J',
  address: 'Calle Hortaleza 77 "bis"',
  postal_code: '39770',
  city: 'Villanueva & Trabuco',
}
const CUSTOMER = {
  given_names: 'Aurelia Ñandú',
  email: 'aurelia.nandu@correo.example',
  previous_orders: 'sofá de tres plazas',
}
const PARAMETER = 'carrito-de-aurelia-7391'
const SECRET = 'fedcba9876543210fedcba9876543210'
const ANSWER = { result: 'retry', retry_in: 5, note: 'la clienta Aurelia ha llamado' }

// Short values are searched for as JSON quotes them, because five digits alone may appear by
// chance.
const secrets = [
  ...Object.entries(SHOPPER).map(([name, value]) =>
    name === 'postal_code' ? `"${value}"` : value,
  ),
  '"surnames":"Prueba',
  '"surnames":"review',
  '611737919',
  ...Object.values(CUSTOMER),
  PARAMETER,
  SECRET,
  ANSWER.note,
  '411111******1111',
  '400000******3220',
  '"lastFour"',
  '12/40',
  createHash('sha256')
    .update(JSON.stringify(['shop', '48291735J', '+34611737919']))
    .digest('hex'),
]

const learned: string[] = []
const { server, receiver, path, plazo } = await servedShopOnFile()
const shop = shopAt(server.url, { username: 'shop', password: 'word' })
const refs: string[] = []

const learn = (value: unknown): void => {
  if (typeof value === 'string') learned.push(value)
}

const product = (code: string, count: number): Json => ({
  credit_agreement: { product: code, instalment_count: count },
})

/** Identifies the shopper, verifies the phone and reveals the screening's outcome. */
const lead = async (
  extra: Json = {},
  placing: Json = {},
): Promise<readonly [orderRef: string, action: Action]> => {
  const orderRef = await shop.place({
    merchant: {
      id: 'shop',
      notify_url: `${receiver.url}/ipn`,
      notification_parameters: { cart: PARAMETER },
      events_webhook: { url: `${receiver.url}/events`, parameters: { cart: PARAMETER } },
    },
    customer: CUSTOMER,
    delivery_address: SHOPPER,
    ...placing,
  })
  refs.push(orderRef)
  const person = { ...SHOPPER, ...extra }
  await shop.submit(orderRef, person)
  await shop.advance(1)
  for (const { text, code } of await shop.messages(orderRef))
    for (const each of [text, `"${code}"`]) learn(each)
  await shop.submit(orderRef, { ...person, validation_code: '12345' })
  await shop.advance(2)
  return [orderRef, await shop.submit(orderRef, person)]
}

const walkTriggers = async (): Promise<void> => {
  for (const surnames of [
    'denial event',
    'alternative event',
    'verification event',
    'unverified event',
    'failure event',
  ]) {
    const [orderRef, action] = await lead({ surnames })
    learn(action.session_url)
    if (action.action === 'alt_payment')
      await shop.submit(orderRef, { ...SHOPPER, surnames, ...product('i1', 1) })
    await shop.advance(10)
  }
  for (const surnames of ['lowrisk event', 'highrisk event', 'evaluation event']) {
    const [, action] = await lead({ surnames, ...product('fp1', 1) })
    await shop.pay(action.iframe_url)
    await shop.advance(5)
  }
}

const walkDecisions = async (): Promise<void> => {
  for (const decision of ['approve', 'reject'] as const) {
    const [orderRef] = await lead({ surnames: 'review event' })
    await shop.advance(1)
    await shop.decide(orderRef, decision)
  }
  const [waiting, session] = await lead({ surnames: 'identity event' })
  learn(session.session_url)
  await shop.form(String(session.session_url), { status: 'ERROR' })
  learn((await shop.submit(waiting, { ...SHOPPER, surnames: 'identity event' })).session_url)
  await lead({ surnames: 'expiry event' })
  await shop.advance(1)
  const [unreachable, second] = await lead({ surnames: 'cancellation event' })
  expect(second.action).toBe('wait_for_confirmation')
  await shop.advance(30)
  await shop.decide(unreachable, 'cancel')
}

const walkPayments = async (): Promise<void> => {
  const [first, paying] = await lead(product('sp1', 3))
  learn(paying.iframe_url)
  await shop.pay(paying.iframe_url, DECLINED_CARD)
  const { iframe_url } = await shop.wait(first)
  const challenge = await shop.pay(iframe_url, { ...CHALLENGED_CARD, save: 'on' })
  learn(challenge.src)
  await shop.form(String(challenge.src), { status: 'success' })
  await shop.advance(2)
  const [, repeated] = await lead(product('sp1', 3))
  const [card] = repeated.reusable_cards as readonly {
    readonly iframe_url: string
    readonly masked_pan: string
  }[]
  expect(card?.masked_pan).toBe('400000******3220')
  learn(card?.iframe_url)
  await shop.pay(card?.iframe_url, { cvc: '123' })
  const [changed] = await lead(product('pp3', 3))
  await shop.submit(changed, { ...SHOPPER, given_names: 'Otilia', nin: '00000000T' })
  secrets.push('Otilia')
}

beforeAll(async () => {
  receiver.answer('/events', ({ body }) =>
    body.includes('event=cancel&')
      ? { status: 200, body: JSON.stringify(ANSWER) }
      : { status: 200 },
  )
  await plazo.json(
    ...merchantWords('shop', { name: 'Shop', password: 'word', secret: SECRET }),
    '--send-action-events',
  )
  await walkTriggers()
  await walkDecisions()
  await walkPayments()
  await shop.advance(60)
})

describe('the file of a database', () => {
  it('holds the orders, their states and histories', async () => {
    const states = await Promise.all(
      refs.map(async (orderRef) => (await shop.order(orderRef)).state.checkout),
    )
    expect(states).toEqual(
      expect.arrayContaining([
        'confirmed',
        'rejected',
        'cancelled',
        'failed',
        'verifying_identity',
        'screened',
      ]),
    )
    expect(tracesIn(rawBytes(path), refs)).toEqual(refs)
    expect(
      tracesIn(rawBytes(path), ['screening.resolved', 'payment.succeeded', 'cancel.deferred']),
    ).toHaveLength(3)
  })

  it('and its write-ahead log contain no personal data and no merchant secret, in any form', () => {
    const values = [
      ...secrets,
      ...learned,
      ...learned.flatMap((url) => url.split('/').at(-1) ?? []),
    ]
    expect(learned.length).toBeGreaterThan(20)
    expect(tracesIn(rawBytes(path), values)).toEqual([])
  })

  it('still contains none of it after a checkpoint of the log', async () => {
    await server.stop()
    expect(tracesIn(rawBytes(path), [...secrets, ...learned])).toEqual([])
  })
})
