// The thread that `threaded-gateway.ts` starts. It makes the requests that it receives and reports the answers. The answers of
// one turn of its event loop share a message.
import { parentPort, workerData } from 'node:worker_threads'
import type { AttemptActivity } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { addressGuard } from '../guard/ssrf-guard.ts'
import type { HttpResult } from './http-request.ts'
import { createSignedRequests } from './merchant-gateway.ts'
import type { ThreadData, ThreadMessage, ThreadPost } from './threaded-gateway.ts'

const { guard, reportsActivity, ...own }: ThreadData = workerData
const onActivity = (attempt: string, activity: AttemptActivity): void => sendMessage([attempt, activity])
const { sendSigned } = createSignedRequests({
  ...own,
  guard: addressGuard(guard),
  ...(reportsActivity && { onActivity }),
})

let queuedMessages: ThreadMessage[] = []
const send = (): void => {
  parentPort?.postMessage(queuedMessages)
  queuedMessages = []
}

const sendMessage = (message: ThreadMessage): void => {
  if (queuedMessages.length === 0) setImmediate(send)
  queuedMessages.push(message)
}

const toMessage = (number: number, answer: HttpResult): ThreadMessage =>
  E.isRight(answer) ? [number, answer.right.status, answer.right.retryAfter, answer.right.body] : [number, answer.left]

const handlePost = async ({ number, request, secrets, now, millisLeft }: ThreadPost): Promise<void> => {
  const signing = { secrets: async () => E.fromNullable(null)(secrets), realNow: () => now }
  sendMessage(toMessage(number, await sendSigned(request, signing, millisLeft)))
}

parentPort?.on('message', (posts: readonly ThreadPost[]) => {
  for (const post of posts) void handlePost(post)
})

// Reports that the thread is ready. If it ends from now on, requests may have been sent.
parentPort?.postMessage([])
