// Holds every route of the route table, so also a new one, to its security headers, its origins and
// the size of its bodies. A page of another origin can send requests with the credentials that its
// browser has. No route may accept a change from it. Contract §2.
import { afterAll, describe, expect, it } from 'vitest'
import { answerHeaders } from '../../packages/server/src/http/browser-security.ts'
import { textOf } from './fuzz/fuzz-route.ts'
import type { RouteCase } from './fuzz/routes.ts'
import { openScene } from './fuzz/scene.ts'
import { type Request, validRequest } from './valid-requests.ts'

type OwnHeaders = Readonly<Record<string, string>>

const scene = await openScene()
afterAll(() => scene.stop())

const NAMES = Object.keys(scene.routes)
const caseOf = (name: string): RouteCase => scene.routes[name] as RouteCase
const isGet = (name: string): boolean => name.startsWith('GET ')
const NOT_GET = NAMES.filter((name) => !isGet(name))
const isCheckout = (name: string): boolean => name.includes(' /api/v1/checkout/')
const CHANGING = NOT_GET.filter((name) => !isCheckout(name))

/** A valid request to the route, for an order that it can serve. */
const requestTo = async (name: string): Promise<Request> =>
  validRequest(name, caseOf(name), await scene.at(caseOf(name).stage))
/** A stream is left at once: another request would wait for a reader that answers nothing. */
const send = async ({ path, ...init }: Request, own: OwnHeaders = {}): Promise<Response> => {
  const answer = await scene.send(path, { ...init, headers: { ...init.headers, ...own } })
  if (answer.headers.get('content-type') === 'text/event-stream') await answer.body?.cancel()
  return answer
}

const OUR_PAGE = { origin: 'http://localhost:3000' }

/** A page that may be shown in a frame of the shop's page, or leads to one that may. */
const isFramed = (name: string, answer: Response): boolean =>
  isPage(answer) && (name.includes('/pay/') || (name === 'GET /verify/:uuid/:token' && answer.ok))
/** Resources that are the same for all users. */
const isScript = (name: string): boolean => /^GET \/(sdk|assets)\//.test(name)
/**
 * Browsers load modules of another origin only if every origin may read them. They hold nothing
 * that is not public.
 */
const isModule = (name: string): boolean => isScript(name) && name !== 'GET /sdk/card-form.js'
const isPublic = (name: string): boolean =>
  isScript(name) || / \/(openapi\.json|docs|docs\/reference\.js|favicon\.svg)$/.test(name)
/** Pages of any origin load these. */
const isOpenToRead = (name: string): boolean => isModule(name) || name === 'GET /openapi.json'

const directivesOf = (policy: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    policy.split(/;\s*/).map((directive) => {
      const [name = '', ...sources] = directive.split(/\s+/)
      return [name, sources]
    }),
  )

const isPage = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/html') === true

// The policy names our own origin, because a shop may serve the form from its own, and allows https
// frames for the payment.
const OF_HOSTED_FORM = [
  'style-src http://localhost:3000',
  'script-src http://localhost:3000',
  'connect-src http://localhost:3000',
  'frame-src http://localhost:3000 https:',
  "frame-src 'self' https:",
]

// The reference's script makes styles by itself.
const OF_REFERENCE = ["style-src 'self' 'unsafe-inline'"]

/** These pages show a checkout, and so the card form of a provider. */
const HAS_CARD_FORM = new Set(['GET /orders/:uuid/form_v2', 'GET /'])

const expectStrictPolicy = (
  headers: Headers,
  mayBeFramed: boolean,
  allowed: readonly string[],
): void => {
  const policy = directivesOf(headers.get('content-security-policy') ?? '')
  expect(policy.get('default-src')).toEqual(["'none'"])
  expect(policy.get('frame-ancestors')).toEqual(mayBeFramed ? undefined : ["'none'"])
  for (const [name, sources] of policy)
    for (const source of allowed.includes([name, ...sources].join(' ')) ? [] : sources)
      expect(source, name).toMatch(/^'(none|self)'$/)
}

/** Credentials protect nothing on these pages. */
const PUBLIC_PAGES = new Set(['GET /', 'GET /docs'])

const expectHeaders = async (name: string, answer: Response): Promise<void> => {
  const { headers } = answer
  const page = isPage(answer)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/)
  expect(headers.get('cross-origin-resource-policy')).toBe(
    (isScript(name) && answer.ok) || isFramed(name, answer) ? 'cross-origin' : 'same-origin',
  )
  expect(headers.get('cache-control')).toMatch(
    isPublic(name) && answer.ok
      ? /^public, max-age=(300|86400|31536000, immutable)$/
      : /^no-store$/,
  )
  const ofForm = page && HAS_CARD_FORM.has(name) ? OF_HOSTED_FORM : []
  const allowed = name === 'GET /docs' ? OF_REFERENCE : ofForm
  expectStrictPolicy(headers, isFramed(name, answer), allowed)
  if (page) {
    expect(headers.get('cross-origin-opener-policy')).toBe(
      PUBLIC_PAGES.has(name) && answer.ok ? null : 'same-origin',
    )
    expect(headers.get('permissions-policy')).toMatch(/\bcamera=\(\).*\bpayment=\(\)/)
    expect(headers.get('content-security-policy')).toContain("base-uri 'none'")
  }
  expect(headers.get('access-control-allow-origin')).toBe(
    isCheckout(name) || (isOpenToRead(name) && answer.ok) ? '*' : null,
  )
  for (const none of ['access-control-allow-credentials', 'set-cookie', 'server', 'x-powered-by'])
    expect(headers.get(none), none).toBeNull()
}

const expectNoInlineCode = async (answer: Response): Promise<void> => {
  const text = await answer.text()
  const files = [...text.matchAll(/<link rel="stylesheet" href="[^"]*\bassets\/[^"]+">/g)]
  expect(files.length).toBeGreaterThan(0)
  expect(text).not.toMatch(/<style|\son[a-z]+=|\sstyle=|javascript:/i)
  for (const [tag] of text.matchAll(/<script\b[^>]*>[^<]*/g))
    expect(tag).toMatch(/^<script type="module" src="[^"]*\bassets\/[^"]+">$/)
}

it.each(NAMES)(
  'sends all security headers, and a page runs no code from its text: %s',
  async (name) => {
    const right = await requestTo(name)
    const answer = await send(right, OUR_PAGE)
    expect([401, 403, 415, 500]).not.toContain(answer.status)
    await expectHeaders(name, answer)
    expect(isPage(answer)).toBe(caseOf(name).hasPage)
    if (isPage(answer) && name !== 'GET /docs') await expectNoInlineCode(answer)
    await expectHeaders(name, await send(right, { ...OUR_PAGE, authorization: 'Basic !' }))
    const lost = await send(
      { ...right, path: right.path.replace(/[0-9a-f-]{36}/, 'none') },
      OUR_PAGE,
    )
    if (name.includes(':uuid')) expect(lost.status).toBe(404)
    await expectHeaders(name, lost)
    const refused = await send({ ...right, method: 'PATCH' }, OUR_PAGE)
    expect([401, 405]).toContain(refused.status)
    await expectHeaders(name, refused)
  },
)

it.each(NAMES)(
  'a preflight allows a page of another origin only for the checkout: %s',
  async (name) => {
    const preflight = {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
    }
    const { path } = await requestTo(name)
    const answer = await scene.send(path, {
      method: 'OPTIONS',
      headers: { ...preflight, origin: 'https://shop.example' },
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe(isCheckout(name) ? '*' : null)
    expect(answer.ok).toBe(isCheckout(name))
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  },
)

it('an unknown path gets the same headers', async () => {
  await expectHeaders('GET /nothing', await scene.send('/nothing', {}))
})

it('https is enforced for a year if the address is permanent', () => {
  const name = 'strict-transport-security'
  expect(answerHeaders(true)[name]).toBe('max-age=31536000')
  expect(answerHeaders(false)[name]).toBeUndefined()
})

const FOREIGN: readonly OwnHeaders[] = [
  { 'sec-fetch-site': 'cross-site' },
  // A page can send this without a preflight.
  { origin: 'https://evil.example', 'content-type': 'text/plain;charset=UTF-8' },
  { origin: 'null' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
]
const OWN: readonly OwnHeaders[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost:3000' },
]

describe('a changing request', () => {
  it.each(CHANGING)('is rejected for pages of other origins: %s', async (name) => {
    const target = await scene.at(caseOf(name).stage)
    const before = await scene.seen(target.orderRef)
    const request = validRequest(name, caseOf(name), target)
    for (const foreign of FOREIGN) {
      const answer = await send(request, foreign)
      expect(answer.status, JSON.stringify(foreign)).toBe(403)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
    expect(await scene.seen(target.orderRef)).toEqual(before)
  })
})

describe('a page at another name of this machine', () => {
  const place = (host: string, origin: string, own: OwnHeaders = {}) =>
    scene.send('/sandbox/demo/orders', {
      method: 'POST',
      headers: { origin, host, 'content-type': 'application/json', ...own },
      body: '{"product":"i1"}',
    })

  it.each(['127.0.0.1:3000', '[::1]:3000', '127.0.0.2:3000'])(
    'buys if it is this server’s own: %s',
    async (host) => {
      for (const own of [{}, { 'sec-fetch-site': 'same-origin' }])
        expect((await place(host, `http://${host}`, own)).status).toBe(201)
    },
  )

  // Another server of this machine, a name that was pointed to it, another port or protocol, and a
  // page of a real other site.
  it.each([
    ['127.0.0.1:3000', 'http://[::1]:3000'],
    ['rebound.example:3000', 'http://rebound.example:3000'],
    ['127.0.0.1:3000', 'https://127.0.0.1:3000'],
    ['192.168.0.7:3000', 'http://192.168.0.7:3000'],
  ])('gets a sentence about what to do otherwise: %s from %s', async (host, origin) => {
    const answer = await place(host, origin)
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({
        detail:
          'Requests from a page of another origin are refused. Open http://localhost:3000, or set BASE_URL.',
      }),
    ])
  })
})

it.each(NAMES)(
  'any page may send what a shop’s own page sends, or what only reads, and our pages and programs everything: %s',
  async (name) => {
    for (const own of CHANGING.includes(name) ? OWN : [...FOREIGN, ...OWN]) {
      const answer = await send(await requestTo(name), own)
      // The clock is being moved until its response has ended.
      await textOf(answer)
      expect(answer.status, JSON.stringify(own)).not.toBe(403)
    }
  },
)

it.each(NOT_GET.filter((name) => caseOf(name).body?.kind === 'json'))(
  'a body of another type is 415: %s',
  async (name) => {
    const answer = await send(await requestTo(name), { 'content-type': 'text/plain' })
    expect(answer.status).toBe(415)
  },
)

it.each(NOT_GET)(
  'a body is 413 if it is too large, even if the route needs none: %s',
  async (name) => {
    const limit = caseOf(name).body?.limit ?? 64 * 1024
    const sendOfSize = async (bytes: number) =>
      send({ ...(await requestTo(name)), body: 'x'.repeat(bytes) })
    expect((await sendOfSize(limit + 1)).status).toBe(413)
    expect((await sendOfSize(limit)).status).not.toBe(413)
  },
)
