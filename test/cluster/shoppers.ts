// Shoppers and their shops as clients of a server that may disappear at any moment. They repeat requests without an answer.
// Each remembers the answers, so that the server can be checked against them.

import { ACCOUNT, MERCHANTS, type Receivers } from '../harness/merchants.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { basic, type HistoryLineOnWire, orderBody, PERSON, shopAt } from '../harness/shop.ts'
import { type ReceivedResponse, type ResponseWatch, receiveResponse } from './client.ts'
import type { Path } from './shopper-paths.ts'

/** The answers that a client received about an order, in order. */
export type ClientAnswer =
  | { readonly type: 'wait' | 'identification'; readonly action: string }
  | { readonly type: 'state'; readonly state: HistoryLineOnWire['to'] }
  | { readonly type: 'event'; readonly event: string }

export type Journey = {
  readonly path: Path
  /** Empty until a 204 has named it. */
  orderRef: string
  readonly answers: ClientAnswer[]
  /** The longest history seen. */
  history: readonly HistoryLineOnWire[]
  /** The last answer, to diagnose a stranded shopper. */
  last: string
  hasEnded: boolean
}

export type ShopperContext = ResponseWatch & {
  readonly url: string
  readonly receivers: Receivers
  /** Sends a request, if there are several servers. */
  readonly fetch?: Parameters<typeof shopAt>[2]
  readonly seeded: SeededRandom
  /** Requests during which the server died. Each of those that were to place an order may have placed it. */
  readonly count: { lost: number; unansweredPlaces: number }
  /** Stops every shopper where they are. */
  readonly isClosed: () => boolean
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const person = (number: number, { surnames }: Path) => ({
  ...PERSON,
  surnames,
  nin: `X${String(number).padStart(7, '0')}`,
  mobile_phone: `6${String(number).padStart(8, '0')}`,
})

const AGREEMENT = { i1: 1, pp3: 3, sp1: 3, fp1: 1 }
const NOTHING_SHIPPED = { order_total_with_tax: 0, items: [] }
const RETRY_AFTER = 30

/** Takes one order along a path to its end, no matter what happens to the server. */
export const startJourney = (
  trade: ShopperContext,
  path: Path,
  number: number,
): { readonly journey: Journey; readonly finished: Promise<void> } => {
  const shop = shopAt(trade.url, ACCOUNT, trade.fetch)
  const operator = { authorization: basic('operator', 'operator') }
  const merchant = MERCHANTS[number % MERCHANTS.length] ?? MERCHANTS[0]
  const reference = `N-${number}`
  const journey: Journey = { path, orderRef: '', answers: [], history: [], last: 'placing', hasEnded: false }
  const cardOf = new Map<string, Path['cards'][number]>()
  const statusOf = new Map<string, string>()
  const refusedCodes = new Set<string>()
  let shopper = person(2 * number, path)
  let hasChanged = !path.changesPerson
  let hasErred = path.code !== 'wrong first'
  let isDone = path.afterwards === null

  const onLost = (): void => {
    trade.count.lost += 1
  }
  const ask = (asked: Promise<Response>): Promise<ReceivedResponse | null> =>
    receiveResponse(asked, { ...trade, onLost })
  const told = (fact: ClientAnswer): void => void journey.answers.push(fact)
  const reportViolation = (what: string): void => trade.onViolation(`${journey.orderRef} (${path.name}): ${what}`)

  const place = async (): Promise<void> => {
    const { url } = trade.receivers
    const order = orderBody({
      merchant: {
        id: merchant,
        notify_url: path.ipn === null ? undefined : `${url}/ipn/${path.ipn}`,
        notification_parameters: { cart: reference },
        events_webhook:
          path.events === null ? undefined : { url: `${url}/events/${path.events}`, parameters: { cart: reference } },
      },
      merchant_reference: { order_ref_1: reference, order_ref_2: '' },
    })
    while (!trade.isClosed()) {
      const response = await receiveResponse(shop.asMerchant('POST', '/orders', order), {
        onViolation: trade.onViolation,
        onLost: () => {
          onLost()
          trade.count.unansweredPlaces += 1
        },
      })
      if (response?.status === 204) {
        journey.orderRef = response.location?.split('/').at(-1) ?? ''
        return
      }
      if (response !== null) reportViolation(`placing answered ${response.status}: ${JSON.stringify(response.body)}`)
      await pause(RETRY_AFTER)
    }
  }

  const submit = async (extra: Readonly<Record<string, unknown>> = {}): Promise<ReceivedResponse | null> => {
    const response = await ask(
      shop.send('POST', `/api/v1/checkout/${journey.orderRef}/identification`, {
        ...shopper,
        credit_agreement: { product: path.product, instalment_count: AGREEMENT[path.product] },
        ...extra,
      }),
    )
    if (response === null) return null
    const { action, errors } = response.body
    const fields = typeof errors === 'object' && errors !== null && !Array.isArray(errors) ? Object.keys(errors) : []
    if (fields.some((field) => field !== 'validation_code')) reportViolation(`refuses ${fields.join(', ')}`)
    if (fields.length === 0) told({ type: 'identification', action: String(action) })
    return response
  }

  const codeFromSms = async (): Promise<string | null> => {
    const response = await ask(shop.send('GET', `/sandbox/messages?order_ref=${journey.orderRef}`))
    const messages = (response?.body ?? []) as unknown as readonly { readonly code: string }[]
    return messages.at(-1)?.code ?? null
  }

  const submitCode = async (): Promise<void> => {
    if (!hasErred) {
      hasErred = (await submit({ validation_code: '00000' })) !== null
      return
    }
    const code = path.code === 'master' ? '12345' : await codeFromSms()
    if (code === null) return
    // A code was rejected: it had expired, or an earlier submission did arrive. The shopper asks for a new one.
    if (refusedCodes.has(code)) return void (await submit())
    const response = await submit({ validation_code: code })
    if (response?.body.action === 'show_identification_form') refusedCodes.add(code)
  }

  const pay = async (iframeUrl: string): Promise<void> => {
    if (!hasChanged) {
      shopper = person(2 * number + 1, path)
      hasChanged = (await submit()) !== null
      return
    }
    const card = cardOf.get(iframeUrl) ?? path.cards[Math.min(cardOf.size, path.cards.length - 1)] ?? path.cards[0]
    cardOf.set(iframeUrl, card)
    const response = await ask(shop.form(iframeUrl, card))
    const outcome =
      response?.body.action === 'Service.3ds_authentication'
        ? await ask(shop.form(String(response.body.src), { status: 'success' }))
        : response
    if (outcome?.body.action === 'Service.payment_successful') told({ type: 'event', event: 'payment.succeeded' })
    if (outcome?.body.action === 'Service.payment_failed') told({ type: 'event', event: 'payment.failed' })
  }

  const verify = async (sessionUrl: string): Promise<void> => {
    const status = statusOf.get(sessionUrl) ?? path.sessions[statusOf.size]
    if (status === undefined) return
    statusOf.set(sessionUrl, status)
    const response = await ask(shop.form(sessionUrl, { status }))
    if (response?.status === 200) told({ type: 'event', event: 'session.reported' })
  }

  const recordOrderAnswer = (response: ReceivedResponse | null, refusals: readonly number[]): boolean => {
    if (response?.status === 200 && 'state' in response.body)
      told({ type: 'state', state: response.body.state as HistoryLineOnWire['to'] })
    else if (response !== null && response.status !== 200 && !refusals.includes(response.status))
      reportViolation(`is answered ${response.status}: ${JSON.stringify(response.body)}`)
    return response !== null
  }

  const confirm = async (state: 'confirmed' | 'on_hold'): Promise<void> => {
    if (path.ipn !== null) return
    recordOrderAnswer(await ask(shop.put(journey.orderRef, { merchant: { id: merchant }, state })), [])
  }

  // The decision may have arrived without its answer. A second one is then rejected.
  const decide = async (decision: string): Promise<boolean> =>
    recordOrderAnswer(
      await ask(shop.send('POST', `/console/orders/${journey.orderRef}/${decision}`, undefined, operator)),
      [409],
    )

  const actAfterwards = async (): Promise<void> => {
    if (path.afterwards === 'update')
      isDone = recordOrderAnswer(
        await ask(
          shop.asMerchant('PUT', `/merchants/${merchant}/orders/${reference}`, {
            order: {
              merchant: { id: merchant },
              merchant_reference: {},
              shipped_cart: NOTHING_SHIPPED,
              unshipped_cart: NOTHING_SHIPPED,
            },
          }),
        ),
        [404],
      )
    else if (path.afterwards !== null) isDone = await decide(path.afterwards)
  }

  const act = async (action: string, body: ReceivedResponse['body']): Promise<void> => {
    switch (action) {
      case 'show_identification_form':
      case 'resume_after_screening':
        return void (await submit())
      case 'require_validate_otp':
        return submitCode()
      case 'alt_payment':
        return void (await submit({ credit_agreement: { product: 'i1', instalment_count: 1 } }))
      case 'require_payment':
        return pay(String(body.iframe_url))
      case 'wait_for_id_verification':
        if (body.status === 'ERROR') return void (await submit())
        return body.status === 'STARTED' ? verify(String(body.session_url)) : undefined
      case 'wait_for_confirmation':
        return confirm('confirmed')
      case 'wait_for_on_hold':
        return confirm('on_hold')
      case 'show_on_hold':
        return void (await decide(path.review))
      case 'finish':
        return actAfterwards()
      default:
        return
    }
  }

  /** A history once shown may only grow. */
  const checkHistory = async (): Promise<void> => {
    const response = await ask(shop.asMerchant('GET', `/orders/${journey.orderRef}/history`))
    if (response === null) return
    if (response.status !== 200) return reportViolation(`has no history: ${response.status}`)
    const lines = response.body as unknown as readonly HistoryLineOnWire[]
    const isPrefix = journey.history.every((line, index) => JSON.stringify(line) === JSON.stringify(lines[index]))
    if (!isPrefix) reportViolation('has another history than it had')
    journey.history = lines
  }

  const isOver = (action: string): boolean =>
    ['reject', 'show_error', 'show_conflict'].includes(action) ||
    action === path.leavesAt ||
    (action === 'finish' && isDone)

  const walk = async (): Promise<void> => {
    await place()
    while (!trade.isClosed()) {
      const response = await ask(shop.send('GET', `/api/v1/checkout/${journey.orderRef}/wait`))
      if (response !== null && response.status !== 200) reportViolation(`waiting answers ${response.status}`)
      const action = String(response?.body.action ?? '')
      if (action !== '') {
        journey.last = action
        told({ type: 'wait', action })
        if (isOver(action)) break
        await act(action, response?.body ?? {})
        if (trade.seeded.below(8) === 0) await checkHistory()
      }
      await pause(RETRY_AFTER + trade.seeded.below(RETRY_AFTER))
    }
    await checkHistory()
    journey.hasEnded = !trade.isClosed()
  }

  return { journey, finished: walk() }
}
