// The merchants of a crash run: two in one account, with receivers in the test's own process that outlive every kill. A
// receiver recognises a repeated request by its Webhook-Id and gives the same answer.
import { hashPassword } from '@plazo/adapters/encryption'
import { CATALOGUE, type Merchants } from '@plazo/core'
import { type Answer, type Received, type Reply, startReceiver } from './receiver.ts'

export const ACCOUNT = { username: 'crash', password: 'crash' }

/** The second one receives every change as an action event. */
export const MERCHANTS = ['polling', 'pushed'] as const

export const SECRET = '0123456789abcdef0123456789abcdef'

export const addMerchants = async (merchants: Pick<Merchants, 'add'>, account = ACCOUNT): Promise<void> => {
  const passwordHash = await hashPassword(account.password)
  for (const ref of MERCHANTS)
    await merchants.add({
      ref,
      name: ref,
      username: account.username,
      passwordHash,
      signatureSecret: SECRET,
      country: null,
      currency: 'EUR',
      products: CATALOGUE.map(({ code }) => code),
      optionalFields: [],
      sendActionEvents: ref === 'pushed',
    })()
}

export type IpnPath = 'accepts' | 'errs-first' | 'conflicts' | 'down' | 'puts' | 'slow'
export type EventsPath = 'accepts' | 'errs-first' | 'down' | 'asks-again' | 'too-late' | 'unsupported'

export type Receivers = {
  readonly url: string
  readonly received: readonly Received[]
  /** Calls `call` once, when the n-th request from now on has arrived and is not yet answered. */
  readonly onRequest: (n: number, call: () => void) => void
  readonly close: () => Promise<void>
}

export const webhookId = ({ headers }: Pick<Received, 'headers'>): string => String(headers['webhook-id'])

const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) })
const OK: Reply = { status: 200 }
const DOWN: Reply = { status: 503 }

const failFirst = (): ((request: Received) => Reply) => {
  const seen = new Set<string>()
  return (request) => {
    if (seen.has(webhookId(request))) return OK
    seen.add(webhookId(request))
    return { status: 500 }
  }
}

// Answers the first cancel request of an order with a retry after a minute, and cancels at the next one.
const retryOnce = (): ((request: Received) => Reply) => {
  const questions = new Map<string, string[]>()
  return (request) => {
    const orderRef = request.fields.order_ref ?? ''
    const asked = questions.get(orderRef) ?? []
    if (!asked.includes(webhookId(request))) questions.set(orderRef, [...asked, webhookId(request)])
    return asked[0] === undefined || asked[0] === webhookId(request)
      ? json({ result: 'retry', retry_in: 1 })
      : json({ result: 'cancelled' })
  }
}

const onCancel =
  (reply: Reply | ((request: Received) => Reply)) =>
  (request: Received): Reply =>
    request.fields.event !== 'cancel' ? OK : typeof reply === 'function' ? reply(request) : reply

/** `confirm` is the merchant's own `PUT`, sent while the IPN is in flight. */
export const startReceivers = async (confirm: (orderRef: string) => Promise<void>): Promise<Receivers> => {
  const receiver = await startReceiver()
  let waiting: { left: number; readonly call: () => void } | null = null

  const after =
    (millis: number, answer: (request: Received) => Reply | Promise<Reply>): Answer =>
    (request, response) => {
      if (waiting !== null) {
        waiting.left -= 1
        if (waiting.left === 0) waiting.call()
      }
      setTimeout(async () => {
        const { status, body } = await answer(request)
        response.writeHead(status)
        response.end(body ?? '')
      }, millis)
      return null
    }

  const ipns: { readonly [path in IpnPath]: Answer } = {
    accepts: after(3, () => OK),
    'errs-first': after(3, failFirst()),
    conflicts: after(3, () => ({ status: 409 })),
    down: after(1, () => DOWN),
    puts: after(0, async ({ fields }) => {
      await confirm(fields.order_ref ?? '')
      return { status: 500 }
    }),
    slow: after(250, () => OK),
  }
  const events: { readonly [path in EventsPath]: Answer } = {
    accepts: after(3, onCancel(json({ result: 'cancelled' }))),
    'errs-first': after(3, failFirst()),
    down: after(1, () => DOWN),
    'asks-again': after(3, onCancel(retryOnce())),
    'too-late': after(3, onCancel(json({ result: 'toolate', late_by: 7 }))),
    unsupported: after(3, onCancel(json({ error: 'Unknown event: cancel' }, 501))),
  }
  for (const [path, answer] of Object.entries(ipns)) receiver.answer(`/ipn/${path}`, answer)
  for (const [path, answer] of Object.entries(events)) receiver.answer(`/events/${path}`, answer)

  return {
    url: receiver.url,
    received: receiver.received,
    onRequest: (n, call) => {
      waiting = { left: n, call }
    },
    close: receiver.close,
  }
}
