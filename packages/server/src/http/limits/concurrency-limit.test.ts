import { EventEmitter } from 'node:events'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../../test/harness/time.ts'
import type { HandlerError } from '../problem.ts'
import { eventStreams } from '../stream.ts'
import { limitAccountReads } from './concurrency-limit.ts'

const anAnswer = (closed = false) => Object.assign(new EventEmitter(), { closed })

const startReading = () => {
  const reads = limitAccountReads()
  const streams = eventStreams(handTimers().timers)
  const app = new Hono()
  app.onError((thrown, c) => c.json((thrown as HandlerError).error, 429))
  app.all('/:account/:stream?', (c) => {
    const { account, stream } = c.req.param()
    reads(c, account)
    return stream ? streams.respond(c, account, async () => []) : c.text('read')
  })
  const ask = async (
    account: string,
    outgoing: ReturnType<typeof anAnswer> | null = anAnswer(),
    method = 'GET',
  ) => app.request(`/${account}`, { method }, outgoing === null ? {} : { outgoing })
  const statuses = async (count: number, ...args: Parameters<typeof ask>) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(...args)))
    return new Set(answers.map(({ status }) => status))
  }
  return { ask, statuses }
}

describe('reads of an account', () => {
  it('are refused beyond sixteen, until an answer has been written', async () => {
    const { ask, statuses } = startReading()
    const first = anAnswer()
    await ask('a', first)
    expect(await statuses(15, 'a')).toEqual(new Set([200]))
    const refused = await ask('a')
    expect(await refused.json()).toMatchObject({ status: 429, retryAfterSeconds: 1 })
    expect((await ask('b')).status).toBe(200)
    first.emit('close')
    expect((await ask('a')).status).toBe(200)
    expect((await ask('a', anAnswer(), 'HEAD')).status).toBe(429)
  })

  it('end when a stream of events has opened', async () => {
    const { statuses } = startReading()
    expect(await statuses(8, 'a/stream')).toEqual(new Set([200]))
    expect(await statuses(16, 'a')).toEqual(new Set([200]))
    expect(await statuses(1, 'a')).toEqual(new Set([429]))
  })
})
