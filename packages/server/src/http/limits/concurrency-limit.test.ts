import { EventEmitter } from 'node:events'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { concurrencyLimit, limitAccountReads, type Release } from './concurrency-limit.ts'

const waitForPromises = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await Promise.resolve()
}

/** Enters, and shows the result so far. */
const enterLimit = (turns: ReturnType<typeof concurrencyLimit>, key: string) => {
  const entry: { leave: Release | null | undefined } = { leave: undefined }
  void turns.acquire(key).then((leave) => {
    entry.leave = leave
  })
  return entry
}

describe('turns', () => {
  it('start immediately up to a limit per key, and then in order', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 2, maxWaiting: 2 })
    const [first, second, third, fourth, fifth] = Array.from({ length: 5 }, () =>
      enterLimit(turns, 'a'),
    )
    const other = enterLimit(turns, 'b')
    await waitForPromises()
    expect([first, second, other].every((entry) => typeof entry?.leave === 'function')).toBe(true)
    expect([third?.leave, fourth?.leave, fifth?.leave]).toEqual([undefined, undefined, null])
    first?.leave?.()
    first?.leave?.()
    await waitForPromises()
    expect([typeof third?.leave, fourth?.leave]).toEqual(['function', undefined])
    second?.leave?.()
    await waitForPromises()
    expect(typeof fourth?.leave).toBe('function')
  })

  it('are waited for only for a limited time', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 1, maxWaiting: 2, waitMaxMillis: 5 })
    const leave = await turns.acquire('a')
    expect(await turns.acquire('a')).toBeNull()
    leave?.()
    expect(await turns.acquire('a')).not.toBeNull()
  })
})

const anAnswer = () => Object.assign(new EventEmitter(), { closed: false, destroyed: false })

const startReading = () => {
  const reads = limitAccountReads({ maxConcurrent: 1, maxWaiting: 1, waitMaxMillis: 10_000 })
  const begun: string[] = []
  const app = new Hono().all('/:account', async (c) => {
    const refused = await reads(c, c.req.param('account'))
    if (refused !== null) return c.json(refused, 429)
    begun.push(c.req.param('account'))
    return c.text('read')
  })
  const ask = (
    account: string,
    outgoing: ReturnType<typeof anAnswer> | null,
    method = 'GET',
    headers: Readonly<Record<string, string>> = {},
  ) => app.request(`/${account}`, { method, headers }, outgoing === null ? {} : { outgoing })
  return { ask, begun }
}

describe('reads of an account', () => {
  it('wait for their turn, which ends when the answer has been written, and are refused beyond the limit', async () => {
    const { ask, begun } = startReading()
    const first = anAnswer()
    await ask('a', first)
    const second = ask('a', anAnswer())
    const third = await ask('a', anAnswer())
    expect([third.status, await third.json()]).toEqual([
      429,
      expect.objectContaining({
        retryAfterSeconds: 1,
        detail: expect.stringContaining('reads in progress'),
      }),
    ])
    await ask('b', anAnswer())
    expect(begun).toEqual(['a', 'b'])
    first.emit('close')
    expect((await second).status).toBe(200)
  })

  it('do not count if the client has gone before its turn', async () => {
    const { ask } = startReading()
    await ask('a', { ...anAnswer(), closed: true } as ReturnType<typeof anAnswer>)
    const [next, waits] = [anAnswer(), anAnswer()]
    expect((await ask('a', next)).status).toBe(200)
    const gone = ask('a', waits)
    await Promise.resolve()
    waits.emit('close')
    await gone
    const last = ask('a', anAnswer())
    next.emit('close')
    expect((await last).status).toBe(200)
  })

  it('do not delay others: four bodies over 64 KiB per account run at once, and more wait without a refusal', async () => {
    const { ask, begun } = startReading()
    const long = (answer: ReturnType<typeof anAnswer>) =>
      ask('a', answer, 'POST', { 'content-length': '65537' })
    const answers = Array.from({ length: 4 }, anAnswer)
    for (const answer of answers) await long(answer)
    const fifth = long(anAnswer())
    await Promise.resolve()
    expect(begun).toHaveLength(4)
    answers[0]?.emit('close')
    expect((await fifth).status).toBe(200)
  })

  it('are the only short requests with a limit, and only over a socket', async () => {
    const { ask } = startReading()
    for (let n = 0; n < 5; n++) expect((await ask('a', anAnswer(), 'POST')).status).toBe(200)
    for (let n = 0; n < 5; n++) expect((await ask('a', null)).status).toBe(200)
  })
})
