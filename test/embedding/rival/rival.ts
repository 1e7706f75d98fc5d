// Another server of the interface, which shares no code with plazo's own but the rules of the form's
// fields. It sells `i1` for one merchant, keeps everything in memory, and is right, except for the
// fault that a test plants.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Fault } from './faults.ts'
import {
  action,
  createCheckout,
  type Fields,
  fieldsOf,
  json,
  type Order,
  problem,
  type Reply,
  TRIGGERS,
} from './rival-checkout.ts'
import { SECRET } from './rival-delivery.ts'

/** The running server. Its only merchant is `rival`, with this name as username and password. */
export const startRival = async (fault: Fault | null) => {
  let url = ''
  const checkout = createCheckout(fault, () => url)

  const bodyOf = async (request: IncomingMessage): Promise<Fields | null> => {
    try {
      return fieldsOf(JSON.parse((await buffer(request)).toString() || '{}'))
    } catch {
      return null
    }
  }

  const UNKNOWN = problem(404, 'Order not found.')
  const credentials = { ref: 'rival', country: null, currency: 'EUR', signature_secret: SECRET }
  const methods = { payment_options: [{ category: 'pay_later', methods: [{ product: 'i1' }] }] }

  const checkoutReply = (
    order: Order | undefined,
    method: string,
    call: string,
    body: Fields | null,
  ): Reply => {
    if (order === undefined)
      return fault === 'an unknown uuid is answered 200'
        ? action('show_error', { messages: ['Unknown.'] })
        : UNKNOWN
    if (call === 'wait' && method === 'GET') return checkout.waitOf(order)
    if (call !== 'identification' || method !== 'POST')
      return problem(405, 'Method not allowed.', { allow: call === 'wait' ? 'GET' : 'POST' })
    return body === null ? problem(400, 'The body is not JSON.') : checkout.identify(order, body)
  }

  const merchantReply = (
    method: string,
    path: string,
    query: URLSearchParams,
    body: Fields | null,
  ): Reply => {
    const [, first = '', second = '', third = ''] = path.split('/')
    if (first === 'orders' && method === 'POST')
      return body === null ? problem(400, 'The body is not JSON.') : checkout.place(body)
    if (first === 'orders') {
      const order = checkout.orders.get(second)
      if (order === undefined) return UNKNOWN
      if (method === 'PUT') return checkout.update(order, body ?? {})
      return json(200, third === 'history' ? order.lines : checkout.viewOf(order))
    }
    if (second !== 'rival') return problem(403, 'The merchant does not belong to this account.')
    if (third === 'credentials') return json(200, credentials)
    if (third === 'payment_methods') return json(200, methods)
    if (third === 'deliveries')
      return json(200, checkout.orders.get(query.get('order_ref') ?? '')?.deliveries ?? [])
    const newest = [...checkout.orders.values()]
      .reverse()
      .slice(0, Number(query.get('limit') ?? 50))
    const link = `<${url}${path}?from=${newest.length}>; rel="next"`
    return json(
      200,
      newest.map(checkout.viewOf),
      newest.length < checkout.orders.size ? { link } : {},
    )
  }

  const replyTo = async (request: IncomingMessage): Promise<Reply> => {
    const { method = '', headers } = request
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', url)
    const body = await bodyOf(request)
    if (path === '/sandbox/clock') return json(200, { now: new Date(checkout.now()).toISOString() })
    if (path === '/sandbox/clock/advance') return checkout.advance(Number(body?.seconds))
    if (path === '/sandbox/triggers')
      return json(200, { triggers: TRIGGERS.map((surnames) => ({ surnames })) })
    if (path === '/sandbox/messages')
      return json(200, checkout.orders.get(query.get('order_ref') ?? '')?.messages ?? [])
    const [, ref = '', call = ''] = /^\/api\/v1\/checkout\/([^/]+)\/(\w+)$/.exec(path) ?? []
    if (ref !== '') return checkoutReply(checkout.orders.get(ref), method, call, body)
    const operators = /^\/console\/orders\/([^/]+)\/request-cancellation$/.exec(path)
    const order = checkout.orders.get(operators?.[1] ?? '')
    const user = operators === null ? 'rival:rival' : 'operator:operator'
    const challenge =
      fault === 'a 401 has no WWW-Authenticate' ? {} : { 'www-authenticate': 'Basic realm="Rival"' }
    if (headers.authorization !== `Basic ${btoa(user)}`)
      return problem(401, 'Credentials are required.', challenge)
    if (operators === null) return merchantReply(method, path, query, body)
    if (order === undefined) return UNKNOWN
    checkout.askToCancel(order)
    return json(200, checkout.viewOf(order))
  }

  const server = createServer(async (request, response) => {
    const { status, body, headers } = await replyTo(request)
    response.writeHead(status, {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'access-control-allow-origin': '*',
      ...headers,
    })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: (): void => {
      server.close()
      server.closeAllConnections()
    },
  }
}
