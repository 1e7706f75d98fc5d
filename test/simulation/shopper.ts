// A shopper and their shop, who take an order to any of its ends. Most do what they are asked; some click twice, enter wrong
// codes, change the person, pay in an old form, or leave.
import type { SeededRandom } from '../harness/seeded-random.ts'
import { basic, CARD, CHALLENGED_CARD, DECLINED_CARD, PERSON } from '../harness/shop.ts'
import type { EventLog } from './event-log.ts'
import type { Answered, Network, Request } from './network.ts'
import { ACCOUNT, type Plan } from './order-plan.ts'
import type { Scheduler } from './scheduler.ts'

type ShopperParts = {
  readonly scheduler: Scheduler
  readonly network: Network
  readonly eventLog: EventLog
  readonly plan: Plan
  readonly draw: SeededRandom
  readonly merchantsUrl: string
  /** Called with an order that a 204 has named. */
  readonly onPlaced: (orderRef: string) => void
  /** Called when a payment was reported as successful. */
  readonly onPaid: (orderRef: string, token: string) => void
  /** Called when an order waits for an operator; `onFinished`, when it is confirmed. */
  readonly onReviewing: (orderRef: string) => void
  readonly onFinished: (orderRef: string) => void
}

type Person = Readonly<Record<string, unknown>>

const SECOND = 1000
export const asMerchant = { authorization: basic(ACCOUNT.username, ACCOUNT.password) }

const personOf = ({ surnames, birthDay }: Plan, number: number): Person => ({
  ...PERSON,
  surnames,
  dob_day: birthDay,
  nin: `X${String(number).padStart(7, '0')}`,
  mobile_phone: `6${String(number).padStart(8, '0')}`,
})

const SPOILT: readonly [Person, ...Person[]] = [
  { nin: '' },
  { surnames: 'One' },
  { dob_day: '32' },
  { dob_year: 1980 },
  { mobile_phone: 'none' },
  { service_privacy_policy_accepted: false },
  { credit_agreement: { product: 'none', instalment_count: 0 } },
]

const orderOf = (plan: Plan, url: string) => ({
  merchant: {
    id: plan.merchant,
    return_url: `${url}/shop/${plan.number}?product=SQ_PRODUCT_CODE`,
    notification_parameters: { cart: plan.reference },
    ...(plan.ipn !== 'absent' && { notify_url: `${url}/ipn/${plan.number}` }),
    ...(plan.events !== 'absent' && {
      events_webhook: { url: `${url}/events/${plan.number}`, parameters: { cart: plan.reference } },
    }),
  },
  merchant_reference: { order_ref_1: plan.reference, order_ref_2: `second-${plan.number}` },
  cart: {
    currency: 'EUR',
    order_total_with_tax: plan.total,
    items: [
      {
        type: 'product',
        reference: 'SKU-1',
        name: 'Lamp',
        quantity: 1,
        price_with_tax: plan.total,
        total_with_tax: plan.total,
      },
    ],
  },
})

/** Resolves when the shopper has left, for any reason. */
export const walk = async (parts: ShopperParts): Promise<void> => {
  const { scheduler, network, eventLog, plan, draw, merchantsUrl } = parts
  const { number } = plan
  const refused = new Set<string>()
  const forms: string[] = []
  let person = personOf(plan, 2 * number)
  let orderRef = ''

  const errs = (): boolean => draw.next() < plan.erratic
  const ask = (request: Omit<Request, 'order'>): Promise<Answered | null> => network.ask({ order: number, ...request })
  const pause = (): Promise<void> =>
    scheduler.sleep(200 + 6 * SECOND * draw.next() + (errs() ? 60 * SECOND * draw.next() : 0))

  const place = async (): Promise<boolean> => {
    const order = orderOf(plan, merchantsUrl)
    for (let tries = 0; tries < 20; tries++) {
      const answered = await ask({ method: 'POST', path: '/orders', headers: asMerchant, body: { order } })
      if (answered?.status === 204) {
        orderRef = answered.location?.split('/').at(-1) ?? ''
        parts.onPlaced(orderRef)
        return true
      }
      // Another order with this reference is being confirmed.
      if (answered?.status === 409) return false
      await scheduler.sleep(SECOND * (1 + tries * 20))
    }
    return false
  }

  const identify = (extra: Person = {}): Promise<Answered | null> =>
    ask({
      method: 'POST',
      path: `/api/v1/checkout/${orderRef}/identification`,
      body: {
        ...person,
        credit_agreement: { product: plan.product, instalment_count: plan.instalments },
        ...extra,
      },
    })

  const submit = async (extra: Person = {}): Promise<Answered | null> => {
    if (errs()) {
      eventLog.count('shoppers', 'wrong fields')
      await identify(draw.pick(SPOILT))
    }
    if (!errs()) return identify(extra)
    eventLog.count('shoppers', 'clicked twice')
    const [first] = await Promise.all([identify(extra), identify(extra)])
    return first
  }

  const code = async (): Promise<string | null> => {
    if (draw.below(8) === 0) return '12345'
    const answered = await ask({ method: 'GET', path: `/sandbox/messages?order_ref=${orderRef}` })
    const messages = (answered?.status === 200 ? answered.body : []) as unknown as readonly { readonly code: string }[]
    return messages.at(-1)?.code ?? null
  }

  const giveCode = async (): Promise<void> => {
    if (errs()) {
      eventLog.count('shoppers', 'wrong code')
      return void (await submit({ validation_code: '00000' }))
    }
    const given = await code()
    if (given === null) return
    if (refused.has(given)) {
      await scheduler.sleep(30 * SECOND)
      return void (await submit())
    }
    const answered = await submit({ validation_code: given })
    if (answered?.body.action === 'show_identification_form') refused.add(given)
  }

  const post = (url: string, form: Readonly<Record<string, string>>): Promise<Answered | null> =>
    ask({ method: 'POST', path: new URL(url).pathname, form })

  const heardPaid = (url: string, answered: Answered | null): void => {
    if (answered?.body.action !== 'Service.payment_successful') return
    parts.onPaid(orderRef, new URL(url).pathname.split('/')[3] ?? '')
  }

  const payAt = async (url: string): Promise<void> => {
    const saves = draw.below(3) === 0 ? { save: 'on' } : {}
    const card = draw.pick([CARD, CARD, CARD, CHALLENGED_CARD, DECLINED_CARD])
    const answered = await post(url, { ...card, ...saves })
    heardPaid(url, answered)
    if (answered?.body.action !== 'Service.3ds_authentication') return
    if (errs()) return
    heardPaid(url, await post(String(answered.body.src), { status: draw.below(4) === 0 ? 'failure' : 'success' }))
  }

  const pay = async (action: Answered['body']): Promise<void> => {
    const url = String(action.iframe_url)
    if (!forms.includes(url)) forms.push(url)
    if (errs()) {
      eventLog.count('shoppers', 'sent somebody else')
      person = personOf(plan, 2 * number + 1 + 1_000_000 * draw.below(3))
      return void (await submit())
    }
    const [saved] = action.reusable_cards as readonly { readonly iframe_url: string }[]
    if (saved !== undefined && draw.below(2) === 0) return heardPaid(url, await post(saved.iframe_url, { cvc: '123' }))
    const old = forms[0] ?? url
    if (errs() && old !== url) {
      eventLog.count('shoppers', 'paid at an old form')
      await payAt(old)
    }
    if (!errs()) return payAt(url)
    eventLog.count('shoppers', 'paid twice at once')
    await Promise.all([payAt(url), payAt(url)])
  }

  const confirm = async (state: 'confirmed' | 'on_hold'): Promise<void> => {
    if (plan.ipn !== 'absent' && !(plan.ipn === 'puts' && draw.below(6) === 0)) return
    await ask({
      method: 'PUT',
      path: `/orders/${orderRef}`,
      headers: asMerchant,
      body: { order: { merchant: { id: plan.merchant }, state } },
    })
  }

  const act = async (body: Answered['body']): Promise<void> => {
    switch (body.action) {
      case 'show_identification_form':
      case 'resume_after_screening':
        return void (await submit())
      case 'require_validate_otp':
        return giveCode()
      case 'alt_payment':
        return void (await submit({ credit_agreement: { product: 'i1', instalment_count: 1 } }))
      case 'require_payment':
        return pay(body)
      case 'wait_for_id_verification': {
        if (body.status === 'ERROR') return void (await submit())
        if (body.status !== 'STARTED' || plan.surnames !== 'identity event') return
        const status = draw.pick(['VERIFIED', 'VERIFIED', 'FAILED', 'ERROR'])
        return void (await post(String(body.session_url), { status }))
      }
      case 'wait_for_confirmation':
        return confirm('confirmed')
      case 'wait_for_on_hold':
        return confirm('on_hold')
      default:
        return
    }
  }

  const LEAVES = ['reject', 'show_error', 'show_conflict', 'finish', 'show_on_hold']

  await scheduler.sleep(plan.placedAfter)
  if (!(await place())) return eventLog.count('shoppers', 'found no shop')
  for (let step = 0; step < plan.patience; step++) {
    const answered = await ask({ method: 'GET', path: `/api/v1/checkout/${orderRef}/wait` })
    const action = String(answered?.status === 200 ? answered.body.action : '')
    if (action === 'show_on_hold') parts.onReviewing(orderRef)
    if (action === 'finish') parts.onFinished(orderRef)
    if (LEAVES.includes(action)) {
      // Some return to see if anything has changed.
      if (!errs()) return
      await submit()
      for (const form of forms) if (errs()) await payAt(form)
      return
    }
    if (answered !== null && action !== '') await act(answered.body)
    await pause()
  }
  eventLog.count('shoppers', 'left')
}
