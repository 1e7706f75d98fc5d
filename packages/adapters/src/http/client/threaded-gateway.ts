// Calls merchants in a thread of its own. It makes the requests, signatures and handshakes, so that
// the event loop that answers shoppers and commits only sends and receives messages.
import { parentPort, type Worker } from 'node:worker_threads'
import type { AttemptActivity, RequestFailure } from '@plazo/core/ports'
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
type ThreadData = Pick<ThreadedGatewayOptions, 'names' | 'guard' | 'proxy' | 'connectionsMax'> & {
  /** False: no caller needs to know which attempts wait. */
  readonly reportsActivity: boolean
}

/** A request for the thread. */
type ThreadPost = SignedPost & { readonly number: number }

type ThreadMessage =
  | readonly [number: number, answer: HttpResult]
  | readonly [attempt: string, activity: AttemptActivity]

const GATEWAY_CLOSED = requestFailure('connection_reset', 'The gateway was closed.')

/**
 * The first post starts the thread. If the thread died, the next post starts it again. `close` ends
 * requests in flight.
 */
export const threadedGateway = (options: ThreadedGatewayOptions): ClosableMerchantGateway => {
  const { names, guard, proxy, connectionsMax, onActivity } = options
  const reportsActivity = onActivity !== undefined
  const data: ThreadData = { names, guard, proxy, connectionsMax, reportsActivity }
  const inFlight = new Map<number, (answer: HttpResult) => void>()
  let queuedPosts: ThreadPost[] = []
  let postCount = 0
  let thread: Worker | null = null
  let isClosed = false

  const failAll = (failure: RequestFailure): void => {
    const failing = [...inFlight.values()]
    inFlight.clear()
    queuedPosts = []
    for (const settle of failing) settle(E.left(failure))
  }

  const handleMessage = (message: ThreadMessage): void => {
    if (isActivity(message)) {
      onActivity?.(message[0], message[1])
      return
    }
    const settle = inFlight.get(message[0])
    inFlight.delete(message[0])
    settle?.(message[1])
  }

  const start = (): Worker => {
    const worker = startThread(import.meta.url, THREAD, data)
    let cause = ''
    let isReady = false
    worker.on('message', (answers: readonly ThreadMessage[]) => {
      isReady = true
      for (const answer of answers) handleMessage(answer)
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

  // The posts of one turn of the event loop share a message, because a message costs as much as
  // everything in it.
  const send = (): void => {
    if (queuedPosts.length === 0) return
    const posts = queuedPosts
    queuedPosts = []
    try {
      thread ??= start()
      thread.ref()
      thread.postMessage(posts)
    } catch (thrown) {
      failAll(toRequestFailure(thrown))
    }
  }

  const postToThread = (post: SignedPost): Promise<HttpResult> =>
    new Promise((resolve) => {
      if (isClosed) return resolve(E.left(GATEWAY_CLOSED))
      const number = postCount++
      inFlight.set(number, resolve)
      if (queuedPosts.length === 0) setImmediate(send)
      queuedPosts.push({ ...post, number })
    })

  return signedGateway(options, postToThread, () => {
    isClosed = true
    thread?.unref()
    void thread?.terminate()
    failAll(GATEWAY_CLOSED)
  })
}

type ActivityMessage = readonly [attempt: string, activity: AttemptActivity]

const isActivity = (message: ThreadMessage): message is ActivityMessage =>
  typeof message[0] === 'string'

/**
 * Makes the requests that the thread receives. The answers of one turn of its event loop share a
 * message.
 */
const runThread = ({ guard, reportsActivity, ...gatewayOptions }: ThreadData): void => {
  let queuedMessages: ThreadMessage[] = []
  const send = (): void => {
    parentPort?.postMessage(queuedMessages)
    queuedMessages = []
  }

  const queueMessage = (message: ThreadMessage): void => {
    if (queuedMessages.length === 0) setImmediate(send)
    queuedMessages.push(message)
  }

  const onActivity = (attempt: string, activity: AttemptActivity): void =>
    queueMessage([attempt, activity])
  const { sendSigned } = createNodeRequests({
    ...gatewayOptions,
    guard: addressGuard(guard),
    ...(reportsActivity && { onActivity }),
  })

  const handlePost = async ({ number, ...post }: ThreadPost): Promise<void> =>
    queueMessage([number, await sendSigned(post)])

  parentPort?.on('message', (posts: readonly ThreadPost[]) => {
    for (const post of posts) void handlePost(post)
  })

  // Reports that the thread is ready. If it ends from now on, requests may have been sent.
  parentPort?.postMessage([])
}

const ownData = threadData<ThreadData>(THREAD)
if (ownData !== undefined) runThread(ownData)
