// A client of the HTTP interface that acts for a merchant's shop and its shoppers. Tests drive
// checkouts with it.
import { ALTERNATIVE, takeTurn } from '../../packages/core/src/testing/http/participants.ts'

export type Json = Readonly<Record<string, unknown>>
export type Action = Json & { readonly action: string }

export const DEMO = {
  username: 'demo',
  password: 'demo',
  ref: 'demo',
  secret: '0123456789abcdef0123456789abcdef',
}

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

export const PERSON = {
  given_names: 'Ana María',
  surnames: 'Prueba Ensayo',
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
  service_privacy_policy_accepted: true,
}

export const CODE = '12345'

export const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }
export const DECLINED_CARD = { ...CARD, number: '4000000000000002' }
export const CHALLENGED_CARD = { ...CARD, number: '4000000000003220' }

/** The body of `POST /orders`. `merchant` and the other fields are merged over the defaults. */
export const orderBody = (
  { merchant = {}, ...rest }: { readonly merchant?: Json } & Json = {},
  url = 'http://127.0.0.1:9',
): Json => ({
  order: {
    merchant: {
      id: 'demo',
      return_url: `${url}/demo/return?product=SQ_PRODUCT_CODE`,
      notify_url: `${url}/demo/notify`,
      events_webhook: { url: `${url}/demo/events`, parameters: {} },
      ...merchant,
    },
    cart: {
      currency: 'EUR',
      order_total_with_tax: 12_100,
      items: [
        {
          type: 'product',
          reference: 'SKU-1',
          name: 'Lamp',
          quantity: 1,
          price_with_tax: 12_100,
          total_with_tax: 12_100,
        },
      ],
    },
    ...rest,
  },
})

type OrderViewOnWire = {
  readonly order_ref: string
  readonly state: {
    readonly checkout: string
    readonly risk: string
    readonly cancellation: string
  }
  readonly late_by: number | null
  readonly product: string
} & Json

export type HistoryLineOnWire = {
  readonly seq: number
  readonly at: string
  readonly event: string
  readonly from: OrderViewOnWire['state']
  readonly to: OrderViewOnWire['state']
  readonly detail: string | null
}

/** `fetch`: how requests are sent. A test without a socket passes the app's own. */
export const shopAt = (
  url: string,
  credentials = { username: DEMO.username, password: DEMO.password },
  fetch: (url: string, init: RequestInit) => Promise<Response> = globalThis.fetch,
) => {
  const authorization = basic(credentials.username, credentials.password)
  const operator = basic('operator', 'operator')

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(path.startsWith('http') ? path : `${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  const jsonOf = async <A = Json>(response: Promise<Response>): Promise<A> =>
    (await (await response).json()) as A

  const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(path.startsWith('http') ? path : `${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })

  return {
    url,
    send,
    form,
    /** Sends a request with the merchant's credentials. */
    asMerchant: (method: string, path: string, body?: unknown) =>
      send(method, path, body, { authorization }),
    /** Resolves to the new order's uuid. */
    place: async (order: Parameters<typeof orderBody>[0] = {}): Promise<string> => {
      const response = await send('POST', '/orders', orderBody(order, url), { authorization })
      if (response.status !== 204)
        throw new Error(`POST /orders answered ${response.status}: ${await response.text()}`)
      return response.headers.get('location')?.split('/').at(-1) ?? ''
    },
    submit: (orderRef: string, extra: Json = {}): Promise<Action> =>
      jsonOf<Action>(
        send('POST', `/api/v1/checkout/${orderRef}/identification`, { ...PERSON, ...extra }),
      ),
    wait: (orderRef: string): Promise<Action> =>
      jsonOf<Action>(send('GET', `/api/v1/checkout/${orderRef}/wait`)),
    order: (orderRef: string) =>
      jsonOf<OrderViewOnWire>(send('GET', `/orders/${orderRef}`, undefined, { authorization })),
    history: (orderRef: string) =>
      jsonOf<readonly HistoryLineOnWire[]>(
        send('GET', `/orders/${orderRef}/history`, undefined, { authorization }),
      ),
    put: (orderRef: string, order: Json): Promise<Response> =>
      send('PUT', `/orders/${orderRef}`, { order }, { authorization }),
    decide: (
      orderRef: string,
      decision: 'approve' | 'reject' | 'request-cancellation' | 'cancel',
    ): Promise<Response> =>
      send('POST', `/console/orders/${orderRef}/${decision}`, undefined, {
        authorization: operator,
      }),
    messages: (orderRef: string) =>
      jsonOf<
        readonly {
          readonly at: string
          readonly to: string
          readonly text: string
          readonly code: string
        }[]
      >(send('GET', `/sandbox/messages?order_ref=${orderRef}`, undefined, { authorization })),
    /** Moves the sandbox's clock. It resolves after everything due by then has run. */
    advance: (seconds: number) =>
      jsonOf<{
        readonly now: string
        readonly fired: readonly {
          readonly at: string
          readonly order_ref: string
          readonly what: string
        }[]
      }>(send('POST', '/sandbox/clock/advance', { seconds })),
    pay: async (
      iframeUrl: unknown,
      fields: Readonly<Record<string, string>> = CARD,
    ): Promise<Action> => jsonOf<Action>(form(String(iframeUrl), fields)),
  }
}

export type Shop = ReturnType<typeof shopAt>

/**
 * Does the next step of the frontend, the merchant or the operator. Resolves to false if there is
 * nothing left to do.
 */
export const nextStep =
  (shop: Shop) =>
  async (orderRef: string, action: Action, identity: Json): Promise<boolean> => {
    const submit = (extra: Json = {}) => shop.submit(orderRef, { ...identity, ...extra })
    const hasActed = await takeTurn(
      {
        submitForm: submit,
        submitCode: async () => {
          await shop.advance(31)
          await submit()
          await shop.advance(0)
          await submit({ validation_code: CODE })
        },
        takeAlternative: () => submit(ALTERNATIVE),
        awaitScreening: () => shop.advance(2),
        verifyIdentity: async ({ status, session_url }) => {
          if (status === 'ERROR') await submit()
          else await shop.form(String(session_url), { status: 'VERIFIED' })
          await shop.advance(4)
        },
        pay: ({ iframe_url }) => shop.pay(iframe_url),
        confirm: (state) => shop.put(orderRef, { state }),
        decide: () => shop.decide(orderRef, 'approve'),
      },
      action,
    )
    if (hasActed) await shop.advance(0)
    return hasActed
  }
