// One order on a remote server, and the trace of everything that a client can see of it.
import { DEFAULT_RULES } from '../../order/terms.ts'
import { currencyTerms } from '../../protocol/currency.ts'
import type { StateOnWire } from '../../protocol/order-view.ts'
import type {
  HistoryEntry,
  MerchantAction,
  OperatorAction,
  Part,
  ReceivedAnswer,
  Trace,
  TraceEntry,
} from '../trace/trace.ts'
import { fieldsOf } from '../trace/trace-queries.ts'
import { mergeInOrder, receivedRequests } from './received-requests.ts'
import { type CallResult, callsTo, namesOf, type Subject } from './subject.ts'

export type RemoteOrder = {
  readonly orderRef: string
  readonly submit: (
    body: Readonly<Record<string, unknown>>,
    wrongFields?: readonly string[],
  ) => Promise<ReceivedAnswer>
  readonly poll: () => Promise<ReceivedAnswer>
  /** Pays in the form at `iframeUrl`. */
  readonly pay: (iframeUrl: string, card: Readonly<Record<string, string>>) => Promise<void>
  /** True if the merchant is asked by IPN. If not, they must confirm by `PUT`. */
  readonly hasIpn: boolean
  readonly merchantSays: (
    act: Extract<MerchantAction['act'], 'confirmed' | 'on_hold'>,
  ) => Promise<void>
  /** The merchant reduces the order to a third, by an Order Update. */
  readonly merchantReduces: () => Promise<void>
  /** True if an operator can decide about the order. */
  readonly hasOperator: boolean
  readonly operatorDoes: (act: OperatorAction['act']) => Promise<void>
  /** Moves a sandbox's clock by `seconds`. Does not wait on other servers. */
  readonly advance: (seconds: number) => Promise<void>
  /** The code of the last message; null if it cannot be read. */
  readonly code: () => string | null
  /** The checkout's states in the history, without repetitions in a row. */
  readonly visitedStates: () => readonly string[]
  readonly trace: () => Trace
}

/** The server's data about the merchant. */
export type MerchantTerms = {
  readonly sendsActionEvents: boolean
  readonly country: string | null
  readonly currency: string
  readonly secret: string
}

/** What an order costs: 121 times the least that one may cost in the merchant's currency. */
export const remoteTotal = (currency: string): number => 121 * currencyTerms(currency).minTotal

const PARAMETERS = { shop: '7', event: 'mine' }

const RETURN_URL = 'http://127.0.0.1:9/back?product=SQ_PRODUCT_CODE'

/** An order whose merchant has addresses under this path; none if it is null. */
export const remoteOrderBody = (
  { receiver, merchant }: Subject,
  { currency }: MerchantTerms,
  path: string | null,
) => {
  const merchantSide =
    receiver === null || path === null
      ? {}
      : {
          notify_url: `${receiver.url}${path}/ipn`,
          events_webhook: { url: `${receiver.url}${path}/events`, parameters: PARAMETERS },
        }
  const total = remoteTotal(currency)
  const item = {
    type: 'product',
    reference: 'SKU-1',
    name: 'Lamp',
    quantity: 1,
    price_with_tax: total,
    total_with_tax: total,
  }
  return {
    order: {
      merchant: { id: merchant.ref, return_url: RETURN_URL, ...merchantSide },
      cart: { currency, order_total_with_tax: total, items: [item] },
    },
  }
}

type HistoryLine = Omit<HistoryEntry, 'part' | 'at'> & { readonly at: string }

/**
 * Places an order whose merchant has addresses under this path. Returns null if the server refuses
 * it.
 */
export const placeRemoteOrder = async (
  subject: Subject,
  merchantTerms: MerchantTerms,
  path: string,
): Promise<RemoteOrder | null> => {
  const { isSandbox, receiver, merchant } = subject
  const calls = callsTo(subject)
  const names = namesOf(subject)
  const entries: TraceEntry[] = []
  const total = remoteTotal(merchantTerms.currency)
  const placed = await calls.asMerchant(
    'POST',
    '/orders',
    remoteOrderBody(subject, merchantTerms, path),
  )
  const orderRef = placed.headers.get('location')?.split('/').at(-1)
  if (placed.status >= 300 || orderRef === undefined) return null

  const now = async (): Promise<number> => {
    if (!isSandbox) return subject.now()
    const { body } = await calls.asAnybody('GET', '/sandbox/clock')
    return Date.parse(String(fieldsOf(body).now))
  }

  let lines = 0
  let messages = 0

  const newLines = async (): Promise<readonly HistoryEntry[]> => {
    const { body } = await calls.asMerchant('GET', `/orders/${orderRef}/history`)
    const all = Array.isArray(body) ? (body as readonly HistoryLine[]) : []
    const fresh = all.slice(lines)
    lines = all.length
    return fresh.map(({ at, ...line }) => ({ part: 'line', ...line, at: Date.parse(at) }))
  }

  const newMessages = async (): Promise<void> => {
    if (!isSandbox) return
    const { body } = await calls.asMerchant('GET', `/sandbox/messages?order_ref=${orderRef}`)
    const all = Array.isArray(body) ? body : []
    for (const message of all.slice(messages)) {
      const { at, to, text, code } = fieldsOf(message)
      entries.push({
        part: 'message',
        at: Date.parse(String(at)),
        to: String(to),
        text: String(text),
        code: String(code),
      })
    }
    messages = all.length
  }

  const newRequests = receivedRequests({
    subject,
    orderRef,
    path,
    secret: merchantTerms.secret,
    now,
  })

  /** Returns when the last new line was written; 0 if there is none. */
  const collect = async (): Promise<number> => {
    const lines = await newLines()
    const requests = await newRequests()
    entries.push(...mergeInOrder(lines, requests))
    for (const line of lines)
      if (line.event === 'payment.refunded')
        entries.push({
          part: 'payment',
          at: line.at,
          payment: null,
          what: 'refunded',
          refund: null,
          // The detail is the amount in the currency's digits, which are those of minor units.
          amount: line.detail === null ? null : Number(line.detail.replace(/\D/g, '')),
        })
    return lines.at(-1)?.at ?? 0
  }

  // A sandbox runs everything that is due before it answers. On other servers a client cannot know
  // this. Its clock goes on: a line of a later instant may have effects that have not run.
  const settle = async (seconds = 0): Promise<void> => {
    const advanced = isSandbox
      ? await calls.asAnybody('POST', '/sandbox/clock/advance', { seconds })
      : null
    const lastLineAt = await collect()
    await newMessages()
    const at = Date.parse(String(fieldsOf(advanced?.body).now))
    if (lastLineAt <= at) entries.push({ part: 'idle', at })
  }

  const answerOf = ({ status, body }: CallResult): ReceivedAnswer => ({ status, body })
  let requestCount = 0

  await settle()
  return {
    orderRef,
    submit: async (body, wrongFields = []) => {
      const answer = answerOf(
        await calls.asAnybody('POST', `/api/v1/checkout/${orderRef}/identification`, body),
      )
      const at = await now()
      await collect()
      entries.push({
        part: 'submission',
        at,
        id: `submission ${++requestCount}`,
        body,
        wrongFields,
        answer,
      })
      await settle()
      return answer
    },
    poll: async () => {
      const answer = answerOf(await calls.asAnybody('GET', `/api/v1/checkout/${orderRef}/wait`))
      const isFirstSinceIdle = entries.at(-1)?.part === 'idle'
      entries.push({ part: 'poll', at: await now(), id: `poll ${++requestCount}`, answer })
      // Shows a change between the two, whose push may be on its way.
      if (isFirstSinceIdle) await collect()
      return answer
    },
    pay: async (iframeUrl, card) => {
      const amount = requestedAmount(entries)
      const first = fieldsOf((await calls.form(iframeUrl, card)).body)
      const answer = String(first.action).endsWith('.3ds_authentication')
        ? fieldsOf((await calls.form(String(first.src), { status: 'success' })).body)
        : first
      const action = String(answer.action)
      const what = action.endsWith('.payment_successful')
        ? 'succeeded'
        : action.endsWith('.payment_failed')
          ? 'failed'
          : null
      if (what !== null)
        entries.push({
          part: 'payment',
          at: await now(),
          payment: iframeUrl,
          what,
          amount,
          refund: null,
        })
      await settle()
    },
    merchantReduces: async () => {
      const references = { merchant_reference: { order_ref_1: orderRef } }
      await calls.asMerchant('PUT', `/orders/${orderRef}`, { order: references })
      const part = Math.floor(total / 3)
      const carts = {
        shipped_cart: { order_total_with_tax: part, items: [{ total_with_tax: part }] },
        unshipped_cart: { order_total_with_tax: 0, items: [] },
      }
      const path = `/merchants/${merchant.ref}/orders/${orderRef}`
      const { status } = await calls.asMerchant('PUT', path, { order: carts })
      entries.push({
        part: 'merchant',
        at: await now(),
        act: 'reduced',
        isAccepted: status === 200,
      })
      await settle()
    },
    hasIpn: receiver !== null,
    hasOperator: subject.operatorPassword !== null,
    merchantSays: async (act) => {
      const { status } = await calls.asMerchant('PUT', `/orders/${orderRef}`, {
        order: { state: act },
      })
      entries.push({ part: 'merchant', at: await now(), act, isAccepted: status === 200 })
      await settle()
    },
    operatorDoes: async (act) => {
      const { status } = await calls.asOperator('POST', `/console/orders/${orderRef}/${act}`)
      entries.push({ part: 'operator', at: await now(), act, isAccepted: status === 200 })
      await settle()
    },
    advance: settle,
    code: () => {
      const message = entries.findLast((each) => each.part === 'message')
      return message?.part === 'message' ? message.code : null
    },
    visitedStates: () =>
      entries
        .flatMap((each) => (each.part === 'line' ? [each.from.checkout, each.to.checkout] : []))
        .filter(
          (state: StateOnWire['checkout'], index, all) => index === 0 || state !== all[index - 1],
        ),
    trace: () => ({
      placed: {
        orderRef,
        placedAt: entries[0]?.at ?? 0,
        merchant: {
          ref: merchant.ref,
          account: merchant.username,
          country: merchantTerms.country,
          products: [],
          optionalFields: [],
          sendsActionEvents: merchantTerms.sendsActionEvents,
        },
        notifyUrl: receiver === null ? null : `${receiver.url}${path}/ipn`,
        notificationParameters: {},
        returnUrl: RETURN_URL,
        eventsWebhook:
          receiver === null
            ? null
            : { url: `${receiver.url}${path}/events`, parameters: PARAMETERS },
        currency: merchantTerms.currency,
        total,
        language: null,
        productCode: null,
      },
      rules: { ...DEFAULT_RULES, masterCode: isSandbox ? '12345' : null },
      names,
      observes: observedParts(subject),
      entries,
      twin: null,
    }),
  }
}

/** The amount of the last payment that was asked for. */
const requestedAmount = (entries: readonly TraceEntry[]): number | null => {
  const amounts = entries.flatMap((each) => {
    if (each.part !== 'submission' && each.part !== 'poll') return []
    const { value } = fieldsOf(fieldsOf(each.answer.body).amount)
    return typeof value === 'number' ? [value] : []
  })
  return amounts.at(-1) ?? null
}

/** The parts that a client can see: more of a sandbox, and more if it has a receiver. */
const observedParts = ({ isSandbox, receiver }: Subject): readonly Part[] => [
  'submission',
  'poll',
  'line',
  'merchant',
  'operator',
  ...(isSandbox ? (['message', 'idle', 'clock', 'payment'] as const) : []),
  ...(receiver === null ? [] : (['request', 'answer', 'outcome', 'signature'] as const)),
]
