// Calls merchants in a thread of its own. It makes the requests, signatures and handshakes, so that
// the event loop that answers shoppers and commits only sends and receives messages.
import { parentPort, type Worker } from 'node:worker_threads'
import type { AttemptActivity, RequestFailure } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { errorCodeOf } from '../../system/error-code.ts'
import { startThread, threadData } from '../../system/threads.ts'
import { type AddressGuardOptions, addressGuard } from '../guard/ssrf-guard.ts'
import { createNodeRequests, type MerchantGatewayOptions } from './merchant-gateway.ts'
import { requestFailure, toRequestFailure } from './request-failure.ts'
import {
  type ClosableMerchantGateway,
  type HttpResult,
  type SignedPost,
  signedGateway,
} from './signed-requests.ts'

/**
 * The options of `merchantGateway` that can be passed to another thread. The guard is given by its
 * options, and made there.
 */
export type ThreadedGatewayOptions = Pick<
  MerchantGatewayOptions,
  'names' | 'secretsOf' | 'realNow' | 'timeoutMillis' | 'proxy' | 'connectionsMax' | 'onActivity'
> & {
  readonly guard: AddressGuardOptions
}

const THREAD = 'merchant gateway'

/** The data that the thread gets when it starts. */
type ThreadData = Pick<ThreadedGatewayOptions, 'names' | 'guard' | 'proxy' | 'connectionsMax'>

/** A request for the thread. `postedAt`: by the clock that all threads share. */
type ThreadPost = SignedPost & { readonly number: number; readonly postedAt: number }

type ThreadMessage =
  | { readonly number: number; readonly answer: HttpResult }
  | { readonly attempt: string; readonly activity: AttemptActivity }

/**
 * Calls `send` with everything that is given in one turn of the event loop, because a message costs
 * as much as everything in it.
 */
const sendEachTurn = <Item>(send: (items: readonly Item[]) => void) => {
  let queued: Item[] = []
  return (item: Item): void => {
    if (queued.length === 0)
      setImmediate(() => {
        const items = queued
        queued = []
        send(items)
      })
    queued.push(item)
  }
}

/** Milliseconds that never decrease, the same in all threads. */
const sharedNow = (): number => Number(process.hrtime.bigint() / 1_000_000n)

const TOO_LATE = requestFailure('timeout', 'The time of the attempt was over before it began.')

const GATEWAY_CLOSED = requestFailure('connection_reset', 'The gateway was closed.')

/**
 * The first post starts the thread. If the thread died, the next post starts it again. `close` ends
 * requests in flight.
 */
export const threadedGateway = (options: ThreadedGatewayOptions): ClosableMerchantGateway => {
  const { names, guard, proxy, connectionsMax, onActivity } = options
  const data: ThreadData = { names, guard, proxy, connectionsMax }
  const inFlight = new Map<number, (answer: HttpResult) => void>()
  let postCount = 0
  let thread: Worker | null = null
  let isClosed = false

  const failAll = (failure: RequestFailure): void => {
    const failing = [...inFlight.values()]
    inFlight.clear()
    for (const settle of failing) settle(E.left(failure))
  }

  const handleMessage = (message: ThreadMessage): void => {
    if ('attempt' in message) onActivity?.(message.attempt, message.activity)
    else {
      inFlight.get(message.number)?.(message.answer)
      inFlight.delete(message.number)
    }
  }

  const start = (): Worker => {
    const worker = startThread(import.meta.url, THREAD, data)
    let cause = ''
    let isReady = false
    worker.on('message', (messages: readonly ThreadMessage[]) => {
      isReady = true
      for (const message of messages) handleMessage(message)
      if (inFlight.size === 0) worker.unref()
    })
    // Only the error's code or name, because its message might contain what was posted.
    worker.on('error', (error) => {
      cause = `: ${errorCodeOf(error) || error.name}`
    })
    // A thread that never became ready has called nobody. Otherwise it is unknown what has arrived,
    // as with a cut connection.
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

  const queuePost = sendEachTurn((queued: readonly ThreadPost[]) => {
    // The others have failed meanwhile.
    const posts = queued.filter(({ number }) => inFlight.has(number))
    if (posts.length === 0) return
    try {
      thread ??= start()
      thread.ref()
      thread.postMessage(posts)
    } catch (thrown) {
      failAll(toRequestFailure(thrown))
    }
  })

  const postToThread = (post: SignedPost): Promise<HttpResult> =>
    new Promise((resolve) => {
      if (isClosed) return resolve(E.left(GATEWAY_CLOSED))
      const number = postCount++
      inFlight.set(number, resolve)
      queuePost({ ...post, number, postedAt: sharedNow() })
    })

  return signedGateway(options, postToThread, () => {
    isClosed = true
    thread?.unref()
    void thread?.terminate()
    failAll(GATEWAY_CLOSED)
  })
}

/** Makes the requests that the thread receives. */
const runThread = ({ guard, ...gatewayOptions }: ThreadData): void => {
  const queueMessage = sendEachTurn((messages: readonly ThreadMessage[]) =>
    parentPort?.postMessage(messages),
  )
  const { sendSigned } = createNodeRequests({
    ...gatewayOptions,
    guard: addressGuard(guard),
    onActivity: (attempt, activity) => queueMessage({ attempt, activity }),
  })

  // The process may have been frozen meanwhile, and another one makes the attempt again once its
  // time is over.
  const handlePost = async ({ number, postedAt, ...post }: ThreadPost): Promise<void> => {
    const millisLeft = post.millisLeft - (sharedNow() - postedAt)
    const answer = millisLeft > 0 ? await sendSigned({ ...post, millisLeft }) : E.left(TOO_LATE)
    queueMessage({ number, answer })
  }

  parentPort?.on('message', (posts: readonly ThreadPost[]) => {
    for (const post of posts) void handlePost(post)
  })

  // Reports that the thread is ready. If it ends from now on, requests may have been sent.
  parentPort?.postMessage([])
}

const ownData = threadData<ThreadData>(THREAD)
if (ownData !== undefined) runThread(ownData)
