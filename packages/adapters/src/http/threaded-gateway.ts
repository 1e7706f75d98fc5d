// Calls merchants in a thread of its own. It makes the requests, signatures and handshakes, so that the event loop that answers
// shoppers and commits only sends and receives messages.
import { Worker } from 'node:worker_threads'
import type { AttemptActivity, ReadsBody, RequestFailure, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { threadFile } from '../system/thread-file.ts'
import type { AddressGuardOptions } from './address-guard.ts'
import { ATTEMPT_MILLIS, type ClosableMerchantGateway, type MerchantGatewayOptions } from './merchant-gateway.ts'
import type { Answer } from './read-answer.ts'
import { codeOf, failureOf, requestFailure } from './request-failure.ts'
import type { Posted } from './signed-requests.ts'

export type ThreadedGatewayOptions = Pick<
  MerchantGatewayOptions,
  'names' | 'secretsOf' | 'realNow' | 'timeoutMillis' | 'connectionsMax' | 'onActivity'
> & {
  readonly guard: AddressGuardOptions
}

/** The data that the thread gets when it starts. */
export type ThreadData = {
  readonly names: WireNames
  readonly guard: AddressGuardOptions
  readonly connectionsMax?: number
}

/** A request for the thread. It is a list, because copying a list takes a third of the time that a record takes. */
export type ThreadPost = readonly [
  number: number,
  id: string,
  merchantRef: string,
  url: string,
  contentType: string,
  body: string,
  readsBody: ReadsBody,
  /** Null: they could not be read. */
  secrets: readonly string[] | null,
  now: number,
  millisLeft: number,
  /** Null: no caller needs to know whether it waits. */
  attempt: string | null,
]

export type ThreadAnswer =
  | readonly [number: number, status: number, retryAfter: string | null, body: string | null]
  | readonly [number: number, failure: RequestFailure]
  | readonly [attempt: string, activity: AttemptActivity]

const CLOSED = requestFailure('connection_reset', 'The gateway was closed.')

/** The first post starts the thread. If the thread died, the next post starts it again. `close` ends requests in flight. */
export const threadedGateway = (options: ThreadedGatewayOptions): ClosableMerchantGateway => {
  const { names, guard, secretsOf, realNow, timeoutMillis = ATTEMPT_MILLIS } = options
  const { connectionsMax, onActivity } = options
  const data: ThreadData = { names, guard, ...(connectionsMax && { connectionsMax }) }
  const inFlight = new Map<number, (answer: Answer) => void>()
  let gathered: ThreadPost[] = []
  let made = 0
  let thread: Worker | null = null
  let isClosed = false

  const failAll = (failure: RequestFailure): void => {
    const failing = [...inFlight.values()]
    inFlight.clear()
    gathered = []
    for (const settle of failing) settle(E.left(failure))
  }

  const hear = (told: ThreadAnswer): void => {
    if (isActivity(told)) {
      onActivity?.(told[0], told[1])
      return
    }
    const settle = inFlight.get(told[0])
    inFlight.delete(told[0])
    settle?.(answerOf(told))
  }

  const start = (): Worker => {
    const worker = new Worker(threadFile('./gateway-thread.ts', import.meta.url), { workerData: data })
    let cause = ''
    let isReady = false
    worker.on('message', (answers: readonly ThreadAnswer[]) => {
      isReady = true
      for (const answer of answers) hear(answer)
      if (inFlight.size === 0) worker.unref()
    })
    // Only the error's code or name, because its message might contain what was posted.
    worker.on('error', (error) => {
      cause = `: ${codeOf(error) || error.name}`
    })
    // A thread that never became ready has called nobody. Otherwise it is unknown what has arrived, as with a cut connection.
    worker.on('exit', () => {
      thread = null
      failAll(
        isReady
          ? requestFailure('connection_reset', `The thread that calls merchants has ended${cause}.`)
          : requestFailure('no_socket', `The thread that calls merchants could not start${cause}.`),
      )
    })
    return worker
  }

  // The posts of one turn of the event loop share a message, because a message costs as much as everything in it.
  const send = (): void => {
    if (gathered.length === 0) return
    const posts = gathered
    gathered = []
    try {
      thread ??= start()
      thread.ref()
      thread.postMessage(posts)
    } catch (thrown) {
      failAll(failureOf(thrown))
    }
  }

  const ask = (posted: Posted, secrets: readonly string[] | null, millisLeft: number): Promise<Answer> =>
    new Promise((resolve) => {
      if (isClosed) return resolve(E.left(CLOSED))
      const { id, merchantRef, url, contentType, body, readsBody } = posted
      const attempt = onActivity === undefined ? null : (posted.attempt ?? null)
      const number = made++
      inFlight.set(number, resolve)
      if (gathered.length === 0) setImmediate(send)
      gathered.push([
        number,
        id,
        merchantRef,
        url,
        contentType,
        body,
        readsBody,
        secrets,
        realNow(),
        millisLeft,
        attempt,
      ])
    })

  return {
    post: (posted) => async () => {
      try {
        const begunAt = performance.now()
        const secrets = await secretsOf(posted.merchantRef)()
        const millisLeft = timeoutMillis - (performance.now() - begunAt)
        return await ask(posted, E.isRight(secrets) ? secrets.right : null, millisLeft)
      } catch (thrown) {
        return E.left(failureOf(thrown))
      }
    },
    close: () => {
      isClosed = true
      thread?.unref()
      void thread?.terminate()
      failAll(CLOSED)
    },
  }
}

type ToldActivity = readonly [attempt: string, activity: AttemptActivity]

const isActivity = (told: ThreadAnswer): told is ToldActivity => typeof told[0] === 'string'

const answerOf = (told: Exclude<ThreadAnswer, ToldActivity>): Answer =>
  told.length === 4 ? E.right({ status: told[1], retryAfter: told[2], body: told[3] }) : E.left(told[1])
