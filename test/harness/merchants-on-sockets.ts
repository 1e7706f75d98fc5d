// The merchants of cluster and isolation runs, on the loopback address and in the test's own process,
// so that they outlive every kill of a server.
import type { ServerResponse } from 'node:http'
import { answerAsMerchants, type Fate, type MerchantParts, readRequest } from './merchants.ts'
import { type Receiver, startReceiver } from './receiver.ts'

export type MerchantsOnSockets = Pick<Receiver, 'received' | 'close'> & {
  /** The address of the shop of the n-th order. */
  readonly urlOf: (order: number) => string
  /** When the first request with a `Webhook-Id` arrived, in epoch milliseconds. */
  readonly arrivedAt: ReadonlyMap<string, number>
  /** True while a request has no whole answer. */
  readonly keepsWaiting: () => boolean
  /** Calls `call` once, when the n-th request from now on has arrived and is not yet answered. */
  readonly onRequest: (n: number, call: () => void) => void
}

// In production each shop has a listener of its own. Hundreds of shops at one listener would wait for
// each other.
const LISTENERS = 50

// Milliseconds from the request to the answer.
const ANSWERS_AFTER = 3

/** Ends with the response, which the client may have left already. */
const eachSecond = (response: ServerResponse, call: () => void): void => {
  if (response.closed) return
  const calling = setInterval(call, 1_000)
  response.once('close', () => clearInterval(calling))
}

const drip = (response: ServerResponse): void => {
  const { socket } = response
  socket?.write('HTTP/1.1 200 OK\r\nX: ')
  eachSecond(response, () => socket?.write('x'))
}

const send = (response: ServerResponse, fate: Fate): void => {
  if (fate === 'breaks') response.socket?.resetAndDestroy()
  else if (fate === 'drips') drip(response)
  else if (fate !== 'hangs') response.writeHead(fate.status).end(fate.body ?? '')
}

/** Nobody is kept waiting once all merchants are calm. */
const endOnceCalm = (response: ServerResponse, isCalm: () => boolean): void => {
  const { socket } = response
  eachSecond(response, () => isCalm() && socket?.resetAndDestroy())
}

export const startMerchants = async (parts: MerchantParts): Promise<MerchantsOnSockets> => {
  const answer = answerAsMerchants(parts)
  const arrivedAt = new Map<string, number>()
  const unanswered = new Set<ServerResponse>()
  let waiting: { requestsLeft: number; readonly call: () => void } | null = null
  const receiver = await startReceiver(({ path, headers, body }, response) => {
    if (waiting !== null) {
      waiting.requestsLeft -= 1
      if (waiting.requestsLeft === 0) waiting.call()
    }
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
    const request = readRequest(path, headers, body)
    if (!arrivedAt.has(request.id)) arrivedAt.set(request.id, Date.now())
    setTimeout(async () => {
      const fate = await answer(request)
      if (typeof fate === 'string' || fate.after !== undefined) endOnceCalm(response, parts.isCalm)
      if (typeof fate === 'object' && fate.after !== undefined)
        setTimeout(() => send(response, fate), fate.after).unref()
      else send(response, fate)
    }, ANSWERS_AFTER)
    return null
  }, LISTENERS)
  return {
    urlOf: (order) => receiver.urls[order % LISTENERS] ?? receiver.url,
    received: receiver.received,
    arrivedAt,
    keepsWaiting: () => unanswered.size > 0,
    close: receiver.close,
    onRequest: (n, call) => {
      waiting = { requestsLeft: n, call }
    },
  }
}
