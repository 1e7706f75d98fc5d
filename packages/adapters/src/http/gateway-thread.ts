// The thread that `threaded-gateway.ts` starts: makes the requests it is told of, and tells what was answered, of each
// turn of its event loop together.
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

// Ready: from now on a request may have been sent when the thread ends.
parentPort?.postMessage([])
