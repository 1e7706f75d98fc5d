// The thread that `threaded-gateway.ts` starts. It makes the requests that it receives and reports the answers. The answers of
// one turn of its event loop share a message.
import { parentPort, workerData } from 'node:worker_threads'
import type { AttemptActivity } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { addressGuard } from './address-guard.ts'
import type { Answer } from './read-answer.ts'
import { signedRequests } from './signed-requests.ts'
import type { ThreadAnswer, ThreadData, ThreadPost } from './threaded-gateway.ts'

const { guard, ...own }: ThreadData = workerData
const onActivity = (attempt: string, activity: AttemptActivity): void => tell([attempt, activity])
const { make } = signedRequests({ ...own, guard: addressGuard(guard), onActivity })

let gathered: ThreadAnswer[] = []
const send = (): void => {
  parentPort?.postMessage(gathered)
  gathered = []
}

const tell = (told: ThreadAnswer): void => {
  if (gathered.length === 0) setImmediate(send)
  gathered.push(told)
}

const answered = (number: number, answer: Answer): ThreadAnswer =>
  E.isRight(answer) ? [number, answer.right.status, answer.right.retryAfter, answer.right.body] : [number, answer.left]

const perform = async (post: ThreadPost): Promise<void> => {
  const [number, id, merchantRef, url, contentType, body, readsBody, secrets, now, millisLeft, attempt] = post
  const posted = { id, merchantRef, url, contentType, body, readsBody, ...(attempt !== null && { attempt }) }
  const signing = { secrets: async () => E.fromNullable(null)(secrets), realNow: () => now }
  tell(answered(number, await make(posted, signing, millisLeft)))
}

parentPort?.on('message', (posts: readonly ThreadPost[]) => {
  for (const post of posts) void perform(post)
})

// Reports that the thread is ready. If it ends from now on, requests may have been sent.
parentPort?.postMessage([])
