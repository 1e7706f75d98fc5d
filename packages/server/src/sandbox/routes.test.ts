// Proves without waiting that a long advance of the clock keeps its connection alive.

import { systemTimers } from '@plazo/adapters/system'
import type { FullStore } from '@plazo/core/ports'
import { mountRoutes } from '@plazo/server/internal'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { TestClockControl } from './clock/test-clock.ts'
import type { Advanced } from './protocol.ts'
import { sandboxRoutes } from './routes.ts'
import type { SandboxServices } from './services.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const ADVANCED: Advanced = { now: '2026-01-05T00:00:00.000Z', fired: [] }

const startAdvance = async () => {
  const advance = Promise.withResolvers<Advanced>()
  const time: TestClockControl = {
    now: () => 0,
    record: () => {},
    view: () => ({ now: ADVANCED.now }),
    advance: () => advance.promise,
  }
  const store: Pick<FullStore, 'nextDueAt'> = { nextDueAt: () => TE.right(null) }
  const app = new Hono()
  mountRoutes(
    app,
    sandboxRoutes({ host: { store }, time, byOwner: {} } as SandboxServices, systemTimers),
    {
      baseUrl: 'http://localhost:3000',
      usesHsts: false,
      pages: [],
      showError: (error) => {
        throw new Error(error._tag)
      },
      toErrorPage: async (c) => c.text(''),
    },
  )
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"seconds":1}',
  }
  const answer = await app.request('/sandbox/clock/advance', request)
  const reader = answer.body?.getReader()
  const read = async (): Promise<string> =>
    Buffer.from((await reader?.read())?.value ?? []).toString()
  return { answer, read, advance }
}

it('a long advance of the clock sends a blank at once and every 10 s, and then its answer', async () => {
  const { answer, read, advance } = await startAdvance()
  expect(answer.status).toBe(200)
  expect(await read()).toBe('\n')
  for (let blanks = 0; blanks < 2; blanks++) {
    vi.advanceTimersByTime(10_000)
    expect(await read()).toBe('\n')
  }
  advance.resolve(ADVANCED)
  expect(JSON.parse(await read())).toEqual(ADVANCED)
  await read()
  expect(vi.getTimerCount()).toBe(0)
})
