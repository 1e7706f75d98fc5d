import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  AS_IN_SANDBOX,
  aGateway,
  hangs,
  OK,
  postOf,
  postTo,
  rawMerchant,
  replies,
  secureMerchant,
} from '../../../../../test/harness/raw-merchant.ts'
import type { ClosableMerchantGateway } from './signed-requests.ts'
import { type ThreadedGatewayOptions, threadedGateway } from './threaded-gateway.ts'

const delivered = E.right({ status: 200, retryAfter: null, body: '{}' })
const failure = (error: string) => ({ left: { _tag: 'RequestFailure', error } })

/** Uses the sandbox's options, except those that are given. */
const aThreadedGateway = (
  overrides: Partial<ThreadedGatewayOptions> = {},
): ClosableMerchantGateway => {
  const gateway = threadedGateway({ ...AS_IN_SANDBOX, ...overrides })
  onTestFinished(() => gateway.close())
  return gateway
}

/** Collects the threads that are started from now on, until the test ends. */
const countThreads = (): readonly Worker[] => {
  const started: Worker[] = []
  const note = (worker: Worker) => started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  return started
}

const theOnly = (threads: readonly Worker[]): Worker => {
  const [thread] = threads
  if (thread === undefined || threads.length > 1)
    throw new Error(`${threads.length} threads were started.`)
  return thread
}

describe.each([
  ['in a thread', aThreadedGateway],
  ['without one', aGateway],
] as const)('a gateway %s', (_, open) => {
  // The answer comes once the wait was reported, however busy the machine is.
  // `attempt-activity.test.ts` moves the time itself.
  it('reports that an attempt waits for its answer, and that it is active again when the answer starts', async () => {
    const waiting = Promise.withResolvers<void>()
    const { url } = await rawMerchant((socket) => void waiting.promise.then(() => socket.write(OK)))
    const reported: string[] = []
    const gateway = open({
      onActivity: (attempt, activity) => {
        reported.push(`${attempt} ${activity}`)
        waiting.resolve()
      },
    })
    const answer = await postTo({ url }, gateway, { attempt: 'late' })
    expect([answer, reported.at(0), reported.at(-1)]).toEqual([
      delivered,
      'late waiting',
      'late active',
    ])
  })

  it('fails if the certificate is self-signed, regardless of the environment', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const merchant = await secureMerchant()
    const result = await postTo(merchant, open())
    vi.unstubAllEnvs()
    expect(result).toMatchObject(failure('tls'))
    expect(merchant.requests()).toBe(0)
  })
})

describe('the thread', () => {
  it('gets 30 s for each attempt, less the time that reading the secrets took', async () => {
    const merchant = await rawMerchant(replies(OK))
    const posted = vi.spyOn(Worker.prototype, 'postMessage')
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const gateway = aThreadedGateway({
      secretsOf: (merchantRef) => {
        now += 4_000
        return AS_IN_SANDBOX.secretsOf(merchantRef)
      },
    })
    const answer = await postTo(merchant, gateway)
    clock.mockRestore()
    const messages = posted.mock.calls.map(([message]) => message)
    posted.mockRestore()
    expect([answer, messages]).toMatchObject([delivered, [[{ millisLeft: 26_000 }]]])
  })

  it('calls nobody if the time of the attempt was over while the process was frozen', async () => {
    const merchant = await rawMerchant(replies(OK))
    const post = Worker.prototype.postMessage
    const posted = vi.spyOn(Worker.prototype, 'postMessage')
    posted.mockImplementation(function (this: Worker, posts: readonly { postedAt: number }[]) {
      post.call(
        this,
        posts.map((each) => ({ ...each, postedAt: each.postedAt - 31_000 })),
      )
    })
    const answer = await postTo(merchant, aThreadedGateway())
    posted.mockRestore()
    expect(answer).toMatchObject(failure('timeout'))
    expect(merchant.connections()).toBe(0)
  })

  it.each<[string, (thread: Worker) => unknown, string]>([
    ['ends', (thread) => thread.terminate(), 'The thread that calls merchants has ended.'],
    [
      'faults',
      (thread) => thread.postMessage(null),
      'The thread that calls merchants has ended: TypeError',
    ],
  ])(
    'that %s fails the posts in flight, and the next post has a new one',
    async (_how, kill, message) => {
      const threads = countThreads()
      const [silent, merchant] = [await rawMerchant(hangs), await rawMerchant(replies(OK))]
      const gateway = aThreadedGateway()
      const hanging = [1, 2].map(() => postTo(silent, gateway))
      await vi.waitFor(() => expect(silent.requests).toHaveLength(2), 20_000)
      kill(theOnly(threads))
      for (const answer of await Promise.all(hanging)) {
        expect(answer).toMatchObject(failure('connection_reset'))
        expect(answer).toMatchObject({ left: { message: expect.stringContaining(message) } })
      }
      expect(await postTo(merchant, gateway)).toEqual(delivered)
      expect(threads).toHaveLength(2)
    },
  )

  it('ends with the gateway and its posts in flight, and is not started again', async () => {
    const threads = countThreads()
    const silent = await rawMerchant(hangs)
    const gateway = aThreadedGateway()
    const hanging = postTo(silent, gateway)
    await vi.waitFor(() => expect(silent.requests).toHaveLength(1), 20_000)
    const ended = once(theOnly(threads), 'exit')
    const unsent = postTo(silent, gateway)
    gateway.close()
    for (const answer of await Promise.all([hanging, unsent, postTo(silent, gateway)]))
      expect(answer).toMatchObject(failure('connection_reset'))
    await ended
    expect(silent.requests).toHaveLength(1)
    theOnly(threads)
  })

  it('keeps the process alive only while a post is in flight', async () => {
    const merchant = await rawMerchant((socket) => setTimeout(() => socket.write(OK), 100))
    const here = JSON.stringify(new URL('./threaded-gateway.ts', import.meta.url).href)
    const program = `import(${here}).then(async ({ threadedGateway }) => {
      const { post } = threadedGateway({
        names: ${JSON.stringify(AS_IN_SANDBOX.names)},
        guard: { allowsLocal: true, allow: [] },
        secretsOf: () => async () => ({ _tag: 'Right', right: ['secret'] }),
        realNow: () => Date.now(),
      })
      process.stdout.write(JSON.stringify(await post(${JSON.stringify(postOf({ url: merchant.url }))})()))
    })`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program])
    expect(JSON.parse(stdout)).toMatchObject(delivered)
  })
})
