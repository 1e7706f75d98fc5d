// One shopper and their shop, who take an order to any of its ends, in cluster, isolation and
// simulation runs. Their habits decide what they do at each step: a path has fixed habits, and the
// simulation draws them.
import type { SessionStatus } from '@plazo/core/protocol'
import {
  ALTERNATIVE,
  type Participants,
  takeTurn,
} from '../../packages/core/src/testing/http/participants.ts'
import { type EventsManner, type IpnManner, type MerchantRef, PASSWORD } from './merchants.ts'
import { basic, orderBody, PERSON } from './shop.ts'

/** One order: the purchase, and how everybody behaves. */
export type OrderPlan = {
  readonly number: number
  readonly merchant: MerchantRef
  readonly reference: string
  /** Selects the sandbox's outcome. */
  readonly surnames: string
  readonly birthDay: string
  readonly product: 'i1' | 'pp3' | 'sp1' | 'fp1'
  readonly instalments: number
  readonly total: number
  readonly ipn: IpnManner
  readonly events: EventsManner
  readonly review: 'approve' | 'reject'
  /** The action after the order is confirmed. */
  readonly afterwards: 'request-cancellation' | 'cancel' | 'update' | 'reduce' | null
}

export type ClientRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
}

export type Answered = {
  readonly status: number
  readonly location: string | null
  readonly body: Readonly<Record<string, unknown>>
}

/** Null means that no answer came. The request may have run. */
type Ask = (request: ClientRequest) => Promise<Answered | null>

export const fetchOptions = ({ method, headers = {}, body, form }: ClientRequest): RequestInit => ({
  method,
  headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  ...(body !== undefined && { body: JSON.stringify(body) }),
  ...(form !== undefined && { body: new URLSearchParams(form) }),
})

export const asMerchant = ({ account }: MerchantRef) => ({
  authorization: basic(account, PASSWORD),
})
const asOperator = { authorization: basic('operator', 'operator') }

type Fields = Readonly<Record<string, unknown>>

const NOTHING_LEFT = { order_total_with_tax: 0, items: [] }

/** Every request that a shopper, a merchant or an operator makes about one order. */
export const requestsOf = (plan: OrderPlan) => {
  const { number, reference, total } = plan
  const merchant = plan.merchant.ref
  const ofMerchant = (method: string, path: string, order?: Fields): ClientRequest => ({
    method,
    path,
    headers: asMerchant(plan.merchant),
    ...(order && { body: { order } }),
  })
  const decide = (orderRef: string, decision: string): ClientRequest => ({
    method: 'POST',
    path: `/console/orders/${orderRef}/${decision}`,
    headers: asOperator,
  })
  const update = (shipped: Fields): ClientRequest =>
    ofMerchant('PUT', `/merchants/${merchant}/orders/${reference}`, {
      merchant: { id: merchant },
      merchant_reference: {},
      shipped_cart: shipped,
      unshipped_cart: NOTHING_LEFT,
    })
  return {
    /** `url`: the address of all merchants. */
    place: (url: string): ClientRequest => {
      const item = {
        type: 'product',
        reference: 'SKU-1',
        name: 'Lamp',
        quantity: 1,
        price_with_tax: total,
      }
      const order = orderBody({
        merchant: {
          id: merchant,
          return_url: `${url}/shop/${number}?product=SQ_PRODUCT_CODE`,
          notification_parameters: { cart: reference },
          notify_url: plan.ipn === 'absent' ? undefined : `${url}/ipn/${number}`,
          events_webhook:
            plan.events === 'absent'
              ? undefined
              : { url: `${url}/events/${number}`, parameters: { cart: reference } },
        },
        merchant_reference: { order_ref_1: reference, order_ref_2: `second-${number}` },
        cart: {
          currency: 'EUR',
          order_total_with_tax: total,
          items: [{ ...item, total_with_tax: total }],
        },
      })
      return { method: 'POST', path: '/orders', headers: asMerchant(plan.merchant), body: order }
    },
    identify: (orderRef: string, person: Fields): ClientRequest => ({
      method: 'POST',
      path: `/api/v1/checkout/${orderRef}/identification`,
      body: {
        credit_agreement: { product: plan.product, instalment_count: plan.instalments },
        ...person,
      },
    }),
    wait: (orderRef: string): ClientRequest => ({
      method: 'GET',
      path: `/api/v1/checkout/${orderRef}/wait`,
    }),
    messages: (orderRef: string): ClientRequest =>
      ofMerchant('GET', `/sandbox/messages?order_ref=${orderRef}`),
    history: (orderRef: string): ClientRequest => ofMerchant('GET', `/orders/${orderRef}/history`),
    form: (url: string, form: Readonly<Record<string, string>>): ClientRequest => ({
      method: 'POST',
      path: new URL(url).pathname,
      form,
    }),
    put: (orderRef: string, state: 'confirmed' | 'on_hold'): ClientRequest =>
      ofMerchant('PUT', `/orders/${orderRef}`, { merchant: { id: merchant }, state }),
    decide,
    cancel: (): ClientRequest => update(NOTHING_LEFT),
    /** The plan's action after the order is confirmed; null if there is none. */
    afterwards: (orderRef: string): ClientRequest | null => {
      switch (plan.afterwards) {
        case 'update':
          return update(NOTHING_LEFT)
        case 'reduce': {
          const half = Math.floor(total / 2)
          return update({ order_total_with_tax: half, items: [{ total_with_tax: half }] })
        }
        case null:
          return null
        default:
          return decide(orderRef, plan.afterwards)
      }
    },
  }
}

/** Something unexpected that a shopper may do. Null: something small, such as a long pause. */
type Whim =
  | 'wrong fields'
  | 'clicked twice'
  | 'wrong code'
  | 'sent somebody else'
  | 'paid at an old form'
  | 'paid twice at once'
  | null

export type Habits = {
  /** True if the shopper now does this. */
  readonly errs: (whim: Whim) => boolean
  /** Fields of the form that make it wrong. */
  readonly wrongFields: () => Fields
  /**
   * The number of the person who takes over. Even numbers belong to shoppers, odd ones to others.
   */
  readonly otherPerson: () => number
  /**
   * Enters the sandbox's master code instead of reading the SMS, which would prove that it arrived.
   */
  readonly usesMasterCode: () => boolean
  readonly usesSavedCard: () => boolean
  /** The fields of the card form at this address. */
  readonly card: (formUrl: string) => Readonly<Record<string, string>>
  /** The result of 3-D Secure; null leaves it unanswered. */
  readonly challenge: () => 'success' | 'failure' | null
  /** The result of the ID session at this address; null leaves it to the sandbox. */
  readonly session: (sessionUrl: string) => SessionStatus | null
  /** True if the merchant confirms by `PUT` when the order waits for it. */
  readonly confirms: () => boolean
  /** Waits after an order that was not taken. Resolves to false if the shopper gives up. */
  readonly placesAgain: (tries: number) => Promise<boolean>
  readonly waitForNewCode: () => Promise<void>
  readonly pause: () => Promise<void>
  /** True if the shopper keeps polling. */
  readonly goesOn: () => boolean
  /** True if the shopper leaves at this answer to a poll. */
  readonly leavesAt: (action: string, orderRef: string) => boolean | Promise<boolean>
  /** Called with an order that a 204 has named. */
  readonly onPlaced: (orderRef: string) => void
}

const personOf = ({ surnames, birthDay }: OrderPlan, number: number): Fields => ({
  ...PERSON,
  surnames,
  dob_day: birthDay,
  nin: `X${String(number).padStart(7, '0')}`,
  mobile_phone: `6${String(number).padStart(8, '0')}`,
})

const MASTER_CODE = '12345'
const WRONG_CODE = '00000'

/**
 * Resolves when the shopper has left: because no shop took the order, at its end, or in the middle.
 */
export const walk = async (
  plan: OrderPlan,
  ask: Ask,
  habits: Habits,
  merchantsUrl: string,
): Promise<'found no shop' | 'ended' | 'left'> => {
  const requests = requestsOf(plan)
  const { errs } = habits
  const refusedCodes = new Set<string>()
  const forms: string[] = []
  let person = personOf(plan, 2 * plan.number)
  let orderRef = ''

  const place = async (): Promise<boolean> => {
    for (let tries = 0; ; tries++) {
      const answered = await ask(requests.place(merchantsUrl))
      if (answered?.status === 204) {
        orderRef = answered.location?.split('/').at(-1) ?? ''
        habits.onPlaced(orderRef)
        return true
      }
      // Another order with this reference is being confirmed.
      if (answered?.status === 409 || !(await habits.placesAgain(tries))) return false
    }
  }

  const identify = (extra: Fields): Promise<Answered | null> =>
    ask(requests.identify(orderRef, { ...person, ...extra }))

  const submit = async (extra: Fields = {}): Promise<Answered | null> => {
    if (errs('wrong fields')) await identify(habits.wrongFields())
    if (!errs('clicked twice')) return identify(extra)
    const [first] = await Promise.all([identify(extra), identify(extra)])
    return first
  }

  const readCode = async (): Promise<string | null> => {
    const answered = await ask(requests.messages(orderRef))
    const messages = (answered?.status === 200 ? answered.body : []) as unknown as readonly {
      readonly code: string
    }[]
    return messages.at(-1)?.code ?? null
  }

  const submitCode = async (): Promise<void> => {
    if (errs('wrong code')) return void (await submit({ validation_code: WRONG_CODE }))
    const code = habits.usesMasterCode() ? MASTER_CODE : await readCode()
    if (code === null) return
    // A code was rejected: it had expired, or an earlier submission did arrive. The shopper asks
    // for a new one.
    if (refusedCodes.has(code)) {
      await habits.waitForNewCode()
      return void (await submit())
    }
    const answered = await submit({ validation_code: code })
    if (answered?.body.action === 'show_identification_form') refusedCodes.add(code)
  }

  const payAt = async (url: string): Promise<void> => {
    const answered = await ask(requests.form(url, habits.card(url)))
    if (answered?.body.action !== 'Service.3ds_authentication') return
    const status = habits.challenge()
    if (status !== null) await ask(requests.form(String(answered.body.src), { status }))
  }

  const pay = async ({ iframe_url, reusable_cards }: Fields): Promise<void> => {
    const url = String(iframe_url)
    if (!forms.includes(url)) forms.push(url)
    if (errs('sent somebody else')) {
      person = personOf(plan, habits.otherPerson())
      return void (await submit())
    }
    const [saved] = reusable_cards as readonly { readonly iframe_url: string }[]
    if (saved !== undefined && habits.usesSavedCard())
      return void (await ask(requests.form(saved.iframe_url, { cvc: '123' })))
    const old = forms[0] ?? url
    if (errs(old === url ? null : 'paid at an old form') && old !== url) await payAt(old)
    if (!errs('paid twice at once')) return payAt(url)
    await Promise.all([payAt(url), payAt(url)])
  }

  const verify = async ({ status, session_url }: Fields): Promise<void> => {
    if (status === 'ERROR') return void (await submit())
    const result = status === 'STARTED' ? habits.session(String(session_url)) : null
    if (result !== null) await ask(requests.form(String(session_url), { status: result }))
  }

  const participants: Participants = {
    submitForm: () => submit(),
    submitCode,
    takeAlternative: () => submit(ALTERNATIVE),
    awaitScreening: async () => false,
    verifyIdentity: verify,
    pay,
    confirm: async (state) => habits.confirms() && ask(requests.put(orderRef, state)),
    // Operators act by themselves.
    decide: async () => false,
  }

  if (!(await place())) return 'found no shop'
  while (habits.goesOn()) {
    const answered = await ask(requests.wait(orderRef))
    const action = String(answered?.status === 200 ? answered.body.action : '')
    if (action !== '' && (await habits.leavesAt(action, orderRef))) {
      // Some return to see if anything has changed.
      if (!errs(null)) return 'ended'
      await submit()
      for (const form of forms) if (errs(null)) await payAt(form)
      return 'ended'
    }
    if (answered !== null && action !== '') await takeTurn(participants, answered.body)
    await habits.pause()
  }
  return 'left'
}
