// A page of another origin can send requests with the credentials that its browser has. No route of the route table may accept
// a change from it. Contract §2.
import { afterAll, describe, expect, it } from 'vitest'
import { routesOf, textOf } from './fuzz/fuzz-route.ts'
import { isOpenToAnyOrigin } from './fuzz/fuzzed-request.ts'
import { openScene } from './fuzz/scene.ts'
import { caseOf, validRequest } from './valid-requests.ts'

type Headers = Readonly<Record<string, string>>

const scene = await openScene()
afterAll(() => scene.stop())

const NAMES = routesOf(scene)
const pathOf = (name: string): string => name.split(' ')[1] ?? ''
const isOpen = (name: string): boolean => isOpenToAnyOrigin(pathOf(name))
const CHANGING = NAMES.filter((name) => !isOpen(name) && !name.startsWith('GET '))
const OPEN = NAMES.filter((name) => isOpen(name) && !name.startsWith('GET '))
const LOOKING = NAMES.filter((name) => name.startsWith('GET '))

const FOREIGN: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': '' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:3001' },
  { origin: 'https://localhost:3000' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
]
const OWN: readonly Headers[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost:3000' },
  { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' },
]

const ask = async (name: string, own: Headers): Promise<number> => {
  const { method, path, headers, body } = validRequest(name, await scene.at(caseOf(name).stage))
  const answer = await scene.send(path, { method, headers: { ...headers, ...own }, body })
  // The clock is being moved until its response has ended.
  await textOf(answer)
  return answer.status
}

describe('a changing request', () => {
  it('is every route that is not a GET, except those that a shop’s page calls', () => {
    expect(CHANGING).toEqual(
      expect.arrayContaining(['POST /orders', 'POST /console/orders/:uuid/approve', 'POST /sandbox/clock/advance']),
    )
    expect(OPEN).toEqual(['POST /api/v1/checkout/:uuid/identification'])
  })

  it.each(CHANGING)('is rejected for pages of other origins: %s', async (name) => {
    const target = await scene.at(caseOf(name).stage)
    const before = await scene.seen(target.orderRef)
    const { method, path, headers, body } = validRequest(name, target)
    for (const foreign of FOREIGN) {
      const answer = await scene.send(path, { method, headers: { ...headers, ...foreign }, body })
      expect(answer.status, JSON.stringify(foreign)).toBe(403)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
    expect(await scene.seen(target.orderRef)).toEqual(before)
  })

  it.each(CHANGING)('is accepted from our own pages and from programs: %s', async (name) => {
    for (const own of OWN) expect(caseOf(name).statuses, JSON.stringify(own)).toContain(await ask(name, own))
  })
})

describe('a page whose requests need no preflight', () => {
  // `fetch(url, { mode: 'no-cors', method: 'POST', body })` with a body of bytes, or of text.
  it.each<Headers>([{}, { 'content-type': 'text/plain;charset=UTF-8' }])(
    'cannot move the clock from another origin: %j',
    async (type) => {
      const advance = (own: Headers) =>
        scene.send('/sandbox/clock/advance', {
          method: 'POST',
          headers: { ...type, ...own },
          body: Buffer.from('{"seconds":3600}'),
        })
      const now = async () =>
        Date.parse(((await (await scene.send('/sandbox/clock', {})).json()) as { now: string }).now)
      const before = await now()
      for (const foreign of FOREIGN) expect((await advance(foreign)).status, JSON.stringify(foreign)).toBe(403)
      expect((await now()) - before).toBeLessThan(60_000)
    },
  )

  it('is distinguished from a program, whose body needs no type', async () => {
    const answer = await scene.send('/sandbox/clock/advance', { method: 'POST', body: Buffer.from('{"seconds":0}') })
    expect(answer.status).toBe(200)
  })
})

it.each(OPEN)('a shop’s own page is served from any origin: %s', async (name) => {
  for (const own of [...FOREIGN, ...OWN])
    expect(caseOf(name).statuses, JSON.stringify(own)).toContain(await ask(name, own))
})

it.each(LOOKING)('a reading request is answered for any origin, but no page can read the answer: %s', async (name) => {
  for (const foreign of FOREIGN) expect(caseOf(name).statuses).toContain(await ask(name, foreign))
})
