// While a developer's `plazo listen` is connected, a merchant's webhooks are handed to it instead
// of sent to their URLs. Its answer is the attempt's answer, and a listener that goes away in the
// middle is an error of the attempt. Of several listeners, only the newest gets a delivery, because
// a delivery has one answer.
import { EventEmitter } from 'node:events'
import type { HttpRequest, HttpResult } from '@plazo/adapters/http'
import type { RequestFailure } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { LiveSource } from '../../live/event-stream.ts'
import type { ForwardedAnswer, ForwardedDelivery } from './protocol.ts'

type Listener = { readonly merchantRef: string }

type HandedDelivery = {
  readonly listener: Listener
  readonly view: ForwardedDelivery
  readonly settle: (result: HttpResult) => void
}

const failure = (error: RequestFailure['error'], message: string): HttpResult =>
  E.left({ _tag: 'RequestFailure', error, message })

const GONE = failure('connection_reset', 'The listener disconnected.')
const TIMED_OUT = failure('timeout', 'The listener did not answer in time.')

export const createListeners = () => {
  const events = new EventEmitter<{ handed: [] }>()
  /** The newest is the last. */
  let connected: readonly Listener[] = []
  const handed = new Map<number, HandedDelivery>()
  let last = 0

  const newestOf = (merchantRef: string): Listener | undefined =>
    connected.findLast((listener) => listener.merchantRef === merchantRef)

  const disconnect = (listener: Listener): void => {
    connected = connected.filter((each) => each !== listener)
    for (const each of handed.values()) if (each.listener === listener) each.settle(GONE)
  }

  const ofMerchant = (merchantRef: string, number: number): HandedDelivery | null => {
    const handedDelivery = handed.get(number)
    return handedDelivery?.listener.merchantRef === merchantRef ? handedDelivery : null
  }

  return {
    /** `wake`: a stream has something to read now. */
    onHanded: (wake: () => void): void => void events.on('handed', wake),
    isConnected: (merchantRef: string): boolean => newestOf(merchantRef) !== undefined,
    /** Waits for the listener's answer until the request's deadline. */
    hand: (
      { owner: merchantRef, url, headers, body, deadline }: HttpRequest,
      event: string,
    ): Promise<HttpResult> =>
      new Promise((resolve) => {
        const listener = newestOf(merchantRef)
        if (listener === undefined) return resolve(GONE)
        last += 1
        const number = last
        const settle = (result: HttpResult): void => {
          handed.delete(number)
          deadline.removeEventListener('abort', expire)
          resolve(result)
        }
        const expire = (): void => settle(TIMED_OUT)
        const endpoint = event === 'ipn' ? 'ipn' : 'events'
        const view: ForwardedDelivery = { number, endpoint, event, url: url.href, headers, body }
        handed.set(number, { listener, view, settle })
        deadline.addEventListener('abort', expire)
        if (deadline.aborted) expire()
        else events.emit('handed')
      }),
    /**
     * Connects a listener until its stream closes. Its events are the numbers of deliveries that
     * wait for an answer.
     */
    connect: (merchantRef: string, mayRead: LiveSource['mayRead']): LiveSource => {
      const listener: Listener = { merchantRef }
      connected = [...connected, listener]
      return {
        readAfter: async (id) =>
          [...handed.values()]
            .filter((each) => each.listener === listener && each.view.number > id)
            .map(({ view }) => ({
              id: view.number,
              type: 'delivery',
              data: { number: view.number },
            })),
        mayRead,
        onClose: () => disconnect(listener),
      }
    },
    /** A delivery that waits for an answer; null if there is none. */
    find: (merchantRef: string, number: number): ForwardedDelivery | null =>
      ofMerchant(merchantRef, number)?.view ?? null,
    /** False: nothing waits for it any more. */
    answer: (
      merchantRef: string,
      number: number,
      { status, retry_after, body, error }: ForwardedAnswer,
    ): boolean => {
      const handedDelivery = ofMerchant(merchantRef, number)
      handedDelivery?.settle(
        status == null
          ? failure(error ?? 'protocol_error', 'The local server gave no answer.')
          : E.right({ status, retryAfter: retry_after ?? null, body: body ?? null }),
      )
      return handedDelivery !== null
    },
  }
}
