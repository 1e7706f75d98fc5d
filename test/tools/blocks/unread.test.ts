import { afterAll, describe, expect, it } from 'vitest'
import { startMeasured } from './measured-server.ts'
import { requestsTo } from './requests.ts'
import { unread } from './unread-connections.ts'

const LOAD = { millis: 2_000, connections: 20, requests: 60 }
// Memory while as many requests as allowed are in progress. Before the limit on concurrent requests
// it was ten times as much.
const ROOM = 400_000_000

const server = await startMeasured('small', 512)
afterAll(() => server.stop())

describe('clients that try passwords', () => {
  // A password is checked in 16 MB. When the threads of Node's pool did this, the allocator kept
  // 330 MB after so many checks.
  const CHECKS = 24
  const KEPT = 100_000_000

  it('leave little memory behind', async () => {
    const before = (await server.read()).residentBytes
    for (let n = 0; n < CHECKS; n++) {
      const authorization = `Basic ${btoa(`nobody-${n}:wrong`)}`
      expect(
        (await fetch(`${server.url}/orders/${server.longOrder}`, { headers: { authorization } }))
          .status,
      ).toBe(401)
    }
    expect((await server.read()).residentBytes - before).toBeLessThan(KEPT)
  })
})

describe('clients that send many requests and read no answer', () => {
  it.each([
    'GET /merchants/:ref/deliveries',
    'GET /merchants/:ref/deliveries/:id',
    'GET /orders/:uuid/history',
    'GET /docs/reference.js',
    'POST /orders',
  ])('use no more memory than a server has, at %s', async (route) => {
    const request = requestsTo(server).find((each) => each.route === route)
    if (request === undefined) throw new Error(`There is no request to ${route}.`)
    const { isAlive, aboveCalmBytes } = await unread(server, request, LOAD)
    expect(isAlive).toBe(true)
    expect(aboveCalmBytes).toBeLessThan(ROOM)
    const answer = await fetch(`${server.url}${request.path}`, { headers: request.headers })
    expect([200, 404, 405, 429]).toContain(answer.status)
    await answer.arrayBuffer()
  })
})
