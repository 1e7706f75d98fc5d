// The rival's orders: their steps, what they answer, and what they tell the merchant. Time moves only
// by `advance`.
import { randomInt, randomUUID } from 'node:crypto'
import type { Fault } from './faults.ts'
import { isAccepted, signedHeaders } from './rival-delivery.ts'
import { wrongFieldsOf } from './rival-form.ts'

export type Fields = Readonly<Record<string, unknown>>
export type Reply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
type State = { checkout: string; risk: string; cancellation: string }
export type Order = {
  readonly ref: string
  readonly placedAt: number
  readonly total: number
  readonly currency: string
  readonly merchant: Fields
  readonly lines: Fields[]
  readonly deliveries: Delivery[]
  readonly messages: Fields[]
  state: State
  reference: string
  form: Fields
  code: string | null
  wrongCodes: number
  deadline: number
  updatedAt: number
}
type Delivery = { readonly id: string; readonly event: string; readonly attempts: Attempt[] }
type Attempt = { n: number; trigger: string; started_at: string; outcome: string | null }
type Job = { readonly at: number; readonly run: () => Promise<void> | void }

const SECOND = 1000
const RETRIES = [10, 60, 300, 900, 1800].map((seconds) => seconds * SECOND)
export const TRIGGERS = ['denial event', 'failure event', 'cancellation event']
const ENDS = ['confirmed', 'rejected', 'conflicted', 'failed']

export const fieldsOf = (value: unknown): Fields => Object(value)
export const json = (status: number, body: unknown, headers = {}): Reply => ({
  status,
  body,
  headers,
})
export const action = (name: string, attributes: Fields = {}): Reply =>
  json(200, { action: name, ...attributes })
export const problem = (status: number, detail: string, headers = {}): Reply =>
  json(
    status,
    { type: 'about:blank', title: detail, status, detail },
    { 'content-type': 'application/problem+json', ...headers },
  )

/** `address`: where the server listens. */
export const createCheckout = (fault: Fault | null, address: () => string) => {
  const orders = new Map<string, Order>()
  let now = Date.now()
  let jobs: Job[] = []
  let key = 0

  const instant = (at: number): string => {
    const text = new Date(at).toISOString()
    return fault === 'instants have no zone' ? text.slice(0, 19) : text
  }
  const later = (delay: number, run: Job['run']) => {
    jobs.push({ at: now + delay, run })
  }
  const move = (order: Order, event: string, change: Partial<State>): void => {
    const from = order.state
    order.state = { ...from, ...change }
    order.updatedAt = now
    const seq = order.lines.length + 1
    order.lines.push({ seq, at: instant(now), event, from, to: order.state, detail: null })
  }

  /** Sends a request until it is accepted. `isDue` may end the attempts. */
  const deliver = (
    order: Order,
    event: string,
    to: string,
    parameters: Readonly<Record<string, string>>,
    isDue: () => boolean,
    accepted: (status: number, body: Fields) => void,
  ): void => {
    const delivery: Delivery = { id: `${order.ref}:${++key}:${event}`, event, attempts: [] }
    order.deliveries.unshift(delivery)
    const isJson = fault === 'events are sent as JSON' && event !== 'ipn'
    const body = isJson ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString()
    const signed =
      fault === 'the signature covers the decoded body' ? decodeURIComponent(body) : body
    const attempt = async (): Promise<void> => {
      if (!isDue()) return
      const n = delivery.attempts.length + 1
      const entry: Attempt = { n, trigger: 'schedule', started_at: instant(now), outcome: null }
      delivery.attempts.push(entry)
      const response = await fetch(to, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: signedHeaders(delivery.id, Math.floor(now / SECOND), body, signed, isJson),
      })
      const text = await response.text()
      const answer = fieldsOf(text.startsWith('{') ? JSON.parse(text) : null)
      const isEnd = isAccepted(event, response.status, answer)
      entry.outcome = isEnd ? 'accepted' : 'error'
      if (isEnd) accepted(response.status, answer)
      else later(RETRIES[n - 1] ?? 3600 * SECOND, attempt)
      if (isEnd && n === 1 && event === 'ipn' && fault === 'an accepted IPN is sent again')
        later(0, attempt)
    }
    later(0, attempt)
  }

  const sendEvent = (
    order: Order,
    event: string,
    extra: Readonly<Record<string, string>>,
    isDue: () => boolean,
    accepted: (status: number, body: Fields) => void = () => {},
  ): void => {
    const { url: to, parameters } = fieldsOf(order.merchant.events_webhook)
    if (typeof to !== 'string') return
    const names = Object.keys(fieldsOf(parameters)).sort()
    const own = names.map((name) => [`m_${name}`, String(fieldsOf(parameters)[name])])
    const references = { order_ref_1: order.reference, order_ref_2: '', order_ref: order.ref }
    const fields = { charset: 'UTF-8', utf8: '√', event, ...references, ...extra }
    deliver(order, event, to, { ...fields, ...Object.fromEntries(own) }, isDue, accepted)
  }

  const askToCancel = (order: Order): void => {
    if (['cancelled', 'too_late'].includes(order.state.cancellation)) return
    move(order, 'cancellation.requested', { cancellation: 'asking' })
    const link = { cancellation_request_url: `${address()}/console/orders/${order.ref}` }
    const isDue = () => order.state.cancellation === 'asking'
    sendEvent(order, 'cancel', link, isDue, (_, { result, retry_in: minutes }) => {
      if (result === 'cancelled') move(order, 'cancel.agreed', { cancellation: 'cancelled' })
      if (result === 'toolate') move(order, 'cancel.late', { cancellation: 'too_late' })
      if (result !== 'retry') return
      move(order, 'cancel.deferred', { cancellation: 'waiting' })
      const delay = fault === 'a cancel question ignores retry_in' ? 10 : Number(minutes) * 60
      later(delay * SECOND, () => askToCancel(order))
    })
  }

  const confirm = (order: Order): void => {
    if (order.state.checkout !== 'confirming') return
    move(order, 'order.confirmed', { checkout: 'confirmed' })
    if (String(order.form.surnames) !== 'cancellation event') return
    move(order, 'cancellation.scheduled', { cancellation: 'scheduled' })
    later((Number(order.form.dob_day) - 1) * 10 * SECOND, () => askToCancel(order))
  }

  const askToConfirm = (order: Order): void => {
    move(order, 'outcome.learnt', { checkout: 'confirming' })
    const { notify_url: to } = order.merchant
    if (typeof to !== 'string') return
    const since = { sq_state: 'approved', approved_since: '0' }
    const references = { order_ref: order.ref, order_ref_1: order.reference, order_ref_2: '' }
    const isDue = () =>
      order.state.checkout === 'confirming' || fault === 'an accepted IPN is sent again'
    const parameters = { ...references, product_code: 'i1', ...since }
    deliver(order, 'ipn', to, parameters, isDue, (status) => {
      if (status < 300) confirm(order)
      else if (order.state.checkout === 'confirming')
        move(order, 'ipn.conflicted', { checkout: 'conflicted' })
    })
  }

  const formWithErrors = (wrong: readonly string[]): Reply =>
    action('show_identification_form', {
      errors: Object.fromEntries(wrong.map((field) => [field, 'invalid'])),
    })

  const startScreening = (order: Order): void => {
    move(order, 'code.accepted', { checkout: 'screening' })
    order.deadline = now + 60 * SECOND
    later(SECOND, () => move(order, 'screening.resolved', { checkout: 'screened' }))
  }

  const takeCode = (order: Order, code: unknown): Reply | null => {
    if (code === undefined) return null
    const isLenient = fault === 'a wrong code is accepted'
    if (code !== order.code && !isLenient) {
      order.wrongCodes += 1
      if (order.wrongCodes >= 5) order.code = null
      return formWithErrors(['validation_code'])
    }
    order.code = null
    startScreening(order)
    return null
  }

  const learnOutcome = (order: Order): void => {
    const { surnames } = order.form
    if (surnames === 'failure event') move(order, 'outcome.learnt', { checkout: 'failed' })
    else if (surnames !== 'denial event') askToConfirm(order)
    else {
      move(order, 'outcome.learnt', { checkout: 'rejected' })
      sendEvent(order, 'denied', {}, () => true)
    }
  }

  const returnUrl = (order: Order): string =>
    String(order.merchant.return_url).replace('SQ_PRODUCT_CODE', 'i1')
  const secondsLeft = (order: Order): number =>
    Math.max(0, Math.ceil((order.deadline - now) / SECOND))

  const waitOf = (order: Order): Reply => {
    switch (order.state.checkout) {
      case 'identifying':
        return action('show_identification_form')
      case 'verifying_phone':
        return action('require_validate_otp')
      case 'screening':
        return action('wait_for_screening', { expires_in: secondsLeft(order) })
      case 'screened':
        if (fault === 'resume_after_screening is answered once') learnOutcome(order)
        return action('resume_after_screening')
      case 'confirming':
        return action('wait_for_confirmation')
      case 'confirmed':
        return action('finish', { return_url: returnUrl(order) })
      case 'rejected':
        return action('reject')
      case 'conflicted':
        return action('show_conflict')
      default:
        return action('show_error', { messages: ['The checkout cannot continue.'] })
    }
  }

  const actionOf = (order: Order): Reply => {
    const polling = { polling_url: `${address()}/api/v1/checkout/${order.ref}/wait` }
    const isSilent = fault === 'wait_for_screening has no polling_url'
    const { checkout } = order.state
    if (checkout === 'screening')
      return action('wait_for_screening', {
        expires_in_seconds: secondsLeft(order),
        ...(isSilent ? {} : polling),
      })
    if (checkout === 'confirming') return action('wait_for_confirmation', polling)
    if (checkout === 'failed' || checkout === 'conflicted') {
      const sentences = ['The checkout cannot continue.']
      return action('show_error', { messages: sentences, errors: sentences })
    }
    return waitOf(order)
  }

  const identify = (order: Order, form: Fields): Reply => {
    const wrong = wrongFieldsOf(form, new Date(now).toISOString().slice(0, 10))
    if (wrong.length > 0)
      return formWithErrors(
        fault === 'only the first wrong field is named' ? wrong.slice(0, 1) : wrong,
      )
    if (order.state.checkout === 'identifying') {
      order.form = form
      order.code = String(randomInt(10_000, 100_000))
      move(order, 'person.submitted', { checkout: 'verifying_phone' })
      const text = `Your code is ${order.code}.`
      order.messages.push({ at: instant(now), to: form.mobile_phone, text, code: order.code })
    } else if (order.state.checkout === 'verifying_phone') {
      const refused = takeCode(order, form.validation_code)
      if (refused !== null) return refused
    } else if (order.state.checkout === 'screened') learnOutcome(order)
    return actionOf(order)
  }

  const viewOf = (order: Order): Fields => ({
    order_ref: order.ref,
    order_ref_1: order.reference,
    order_ref_2: '',
    merchant: 'rival',
    state: order.state,
    product: 'i1',
    amount: { value: order.total, string: `€${(order.total / 100).toFixed(2)}` },
    created_at: instant(order.placedAt),
    updated_at: instant(order.updatedAt),
    ...(fault === 'the order shows the shopper’s phone' ? { phone: order.form.mobile_phone } : {}),
  })

  const place = (input: Fields): Reply => {
    const { merchant, cart } = fieldsOf(input.order)
    const { currency, order_total_with_tax: total, items } = fieldsOf(cart)
    const sum = [items]
      .flat()
      .reduce((all: number, item) => all + Number(fieldsOf(item).total_with_tax), 0)
    if (sum !== total) return json(409, { errors: [`Invalid data: items add up to ${sum}.`] })
    if (currency !== 'EUR') return json(409, { errors: ['The currency must be EUR.'] })
    const state = { checkout: 'identifying', risk: 'unassessed', cancellation: 'none' }
    const order: Order = {
      ref: randomUUID(),
      placedAt: now,
      updatedAt: now,
      total: Number(total),
      currency: 'EUR',
      merchant: fieldsOf(merchant),
      lines: [],
      deliveries: [],
      messages: [],
      state,
      reference: '',
      form: {},
      code: null,
      wrongCodes: 0,
      deadline: 0,
    }
    orders.set(order.ref, order)
    move(order, 'order.placed', {})
    const status = fault === 'a placed order is answered 201' ? 201 : 204
    return { status, headers: { location: `${address()}/orders/${order.ref}` } }
  }

  const update = (order: Order, input: Fields): Reply => {
    const { state, merchant_reference: references } = fieldsOf(input.order)
    const reference = fieldsOf(references).order_ref_1
    if (typeof reference === 'string') {
      order.reference = reference
      move(order, 'references.given', {})
    }
    if (state !== 'confirmed') return json(200, viewOf(order))
    const { checkout } = order.state
    const isRefused = checkout === 'confirmed' && fault === 'a second confirmation is 409'
    if (isRefused || (ENDS.includes(checkout) && checkout !== 'confirmed'))
      return json(409, { errors: [`The order is ${checkout}.`] })
    confirm(order)
    return json(200, viewOf(order))
  }

  const advance = async (seconds: number): Promise<Reply> => {
    const end = now + seconds * SECOND
    for (;;) {
      const [next] = jobs.toSorted((one, other) => one.at - other.at)
      if (next === undefined || next.at > end) break
      jobs = jobs.filter((job) => job !== next)
      now = Math.max(now, next.at)
      await next.run()
    }
    now = end
    return json(200, [])
  }

  return {
    orders,
    now: () => now,
    advance,
    askToCancel,
    identify,
    place,
    update,
    viewOf,
    waitOf,
  }
}
