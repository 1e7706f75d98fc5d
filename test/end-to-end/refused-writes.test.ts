// A database that answers reads and refuses writes, because its disk is full. A load balancer must
// notice it, the log must report it once, and the server recovers by itself.
// Contract §7.
import { statSync } from 'node:fs'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { openSqlite } from '@plazo/adapters/sqlite'
import { serve } from '@plazo/server'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const KEY = newKeyEntry()

const servingAt = async (url: string, hooks: Parameters<typeof serve>[2] = {}) => {
  const config = configFrom({ DATABASE_URL: url, SECRET_KEY: KEY, PORT: '0' })
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
    place: async () =>
      (await fetch(`${serving.baseUrl}/orders`, { method: 'POST', headers, body })).status,
    ready: async () => (await fetch(`${serving.baseUrl}/readyz`)).status,
    outages: () => events.filter((event) => /^(un)?available$/.test(event)),
  }
}

it('a server is not ready while the disk is full, logs it once, and is ready once there is space', async () => {
  let isFull = false
  const { stop, place, ready, outages } = await servingAt(`sqlite:${pathOfTest('plazo.db')}`, {
    onCommit: (moment) => {
      if (isFull && moment === 'before')
        throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    },
  })
  onTestFinished(() => stop())
  expect([await place(), await ready()]).toEqual([204, 200])
  isFull = true
  for (let times = 0; times < 5; times++) expect([await place(), await ready()]).toEqual([503, 503])
  expect(outages()).toEqual(['unavailable'])
  isFull = false
  await waitUntil(async () => (await ready()) === 200)
  await waitUntil(() => outages().length === 2)
  expect([await place(), outages()]).toEqual([204, ['unavailable', 'available']])
})

describe('a server', () => {
  it('is not ready while no server starts jobs', async () => {
    const storage = openSqlite(pathOfTest('plazo.db'))
    let isHeld = false
    const lease = async () => (isHeld ? storage.lease() : null)
    const server = await servingAt('sqlite::memory:', { storage: { ...storage, lease } })
    expect(await server.ready()).toBe(503)
    isHeld = true
    expect(await server.ready()).toBe(200)
    await server.stop()
  })

  it('on SQLite writes only one page when it starts again, the mark of its file', async () => {
    const path = pathOfTest('plazo.db')
    await (await servingAt(`sqlite:${path}`)).stop()
    const repeated = await servingAt(`sqlite:${path}`)
    expect(await repeated.ready()).toBe(200)
    expect(statSync(`${path}-wal`).size).toBe(32 + 24 + 4_096)
    await repeated.stop()
  })
})
