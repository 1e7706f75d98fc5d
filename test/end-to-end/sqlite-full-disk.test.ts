// A server on a SQLite file with a full disk starts if nothing must change, is not ready while it
// cannot commit, reports it once, and recovers by itself. These tests simulate the lack of space;
// `pnpm full-disk` has a real one.
import { statSync } from 'node:fs'
import { serve } from '@plazo/server'
import Sqlite from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

let path: string
beforeEach(() => {
  path = pathOfTest('plazo.db')
})

const servingAt = async (hooks: Parameters<typeof serve>[2] = {}) => {
  const config = configFrom({ DATABASE_URL: `sqlite:${path}`, PORT: '0' })
  const events: string[] = []
  const serving = await serve(config, (event) => void events.push(event), {
    ...hooks,
    compose: composeInMode,
  })
  const headers = {
    authorization: basic(DEMO.username, DEMO.password),
    'content-type': 'application/json',
  }
  const body = JSON.stringify(orderBody({}, serving.baseUrl))
  return {
    stop: serving.stop,
    placed: async () =>
      (await fetch(`${serving.baseUrl}/orders`, { method: 'POST', headers, body })).status,
    ready: async () => (await fetch(`${serving.baseUrl}/readyz`)).status,
    outages: () => events.filter((event) => /^(un)?available$/.test(event)),
  }
}

describe('a server on a SQLite file', () => {
  it('writes nothing when it starts again, so it can start on a full disk', async () => {
    const first = await servingAt()
    await first.stop()
    const repeated = await servingAt()
    expect(await repeated.ready()).toBe(200)
    expect(statSync(`${path}-wal`).size).toBe(0)
    await repeated.stop()
  })

  it('is not ready while the disk is full, logs it once, and is ready once there is space', async () => {
    let isFull = false
    const onCommit = (moment: 'before' | 'after'): void => {
      if (isFull && moment === 'before')
        throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    }
    const { placed, ready, outages, stop } = await servingAt({ onCommit })
    expect([await placed(), await ready()]).toEqual([204, 200])
    isFull = true
    for (let times = 0; times < 20; times++)
      expect([await placed(), await ready()]).toEqual([503, 503])
    expect(outages()).toEqual(['unavailable'])
    isFull = false
    expect(await ready()).toBe(200)
    await waitUntil(() => outages().length === 2)
    expect([await placed(), outages()]).toEqual([204, ['unavailable', 'available']])
    await stop()
  })
})
