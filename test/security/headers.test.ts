// Checks the security headers of every answer of every route. The names come from the route table, so new routes are included.
import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, describe, expect, it } from 'vitest'
import { securityHeaders } from '../../packages/server/src/http/browser-security.ts'
import { routesOf } from './fuzz/fuzz-route.ts'
import { openScene } from './fuzz/scene.ts'
import { caseOf, type Request, validRequest } from './valid-requests.ts'

const scene = await openScene()
afterAll(() => scene.stop())

const NAMES = routesOf(scene)

const send = ({ method, path, headers, body }: Request): Promise<Response> =>
  scene.send(path, { method, headers: { ...headers, origin: 'http://localhost:3000' }, body })

/** Pages that are shown in a frame of the shop's page. */
const isFramed = (name: string): boolean => name.includes(' /pay/')
/** Resources that are the same for all users. */
const isScript = (name: string): boolean => name.startsWith('GET /sdk/')
/** Browsers load modules of another origin only if every origin may read them. They hold nothing that is not public. */
const isModule = (name: string): boolean => isScript(name) && name !== 'GET /sdk/card-form.js'
const isPublic = (name: string): boolean =>
  isScript(name) || ['GET /openapi.json', 'GET /docs', 'GET /favicon.svg'].includes(name)
/** Pages of any origin load these. */
const isOpenToRead = (name: string): boolean => isModule(name) || name === 'GET /openapi.json'
const isCheckout = (name: string): boolean => name.includes(' /api/v1/checkout/')

const directivesOf = (policy: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    policy.split(/;\s*/).map((directive) => {
      const [name = '', ...sources] = directive.split(/\s+/)
      return [name, sources]
    }),
  )

const isPage = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/html') === true

// The policy names our own origin, because a shop may serve the form from its own, and allows https frames for the payment.
const OF_HOSTED_FORM = [
  'connect-src http://localhost:3000',
  'frame-src http://localhost:3000 https:',
  "frame-src 'self' https:",
]

/** These pages show a checkout, and so the card form of a provider. */
const HAS_CARD_FORM = new Set(['GET /orders/:uuid/form_v2', 'GET /'])

const hasStrictPolicy = (headers: Headers, mayBeFramed: boolean, isHostedForm: boolean): void => {
  const policy = directivesOf(headers.get('content-security-policy') ?? '')
  expect(policy.get('default-src')).toEqual(["'none'"])
  expect(policy.get('frame-ancestors')).toEqual(mayBeFramed ? undefined : ["'none'"])
  for (const [name, sources] of policy)
    for (const source of isHostedForm && OF_HOSTED_FORM.includes([name, ...sources].join(' ')) ? [] : sources)
      expect(source, name).toMatch(/^'(none|self|nonce-[A-Za-z0-9+/=]{22,}|sha256-[A-Za-z0-9+/=]{44})'$/)
}

/** Credentials protect nothing on these pages. */
const PUBLIC_PAGES = new Set(['GET /', 'GET /docs'])

const isHeldTo = async (name: string, answer: Response): Promise<void> => {
  const { headers } = answer
  const page = isPage(answer)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/)
  expect(headers.get('cross-origin-resource-policy')).toBe(
    (isScript(name) && answer.ok) || (page && isFramed(name)) ? 'cross-origin' : 'same-origin',
  )
  expect(headers.get('cache-control')).toMatch(
    isPublic(name) && answer.ok ? /^public, max-age=(300|86400)$/ : /^no-store$/,
  )
  hasStrictPolicy(headers, page && isFramed(name), page && HAS_CARD_FORM.has(name))
  if (page) {
    expect(headers.get('cross-origin-opener-policy')).toBe(PUBLIC_PAGES.has(name) && answer.ok ? null : 'same-origin')
    expect(headers.get('permissions-policy')).toMatch(/\bcamera=\(\).*\bpayment=\(\)/)
    expect(headers.get('content-security-policy')).toContain("base-uri 'none'")
  }
  expect(headers.get('access-control-allow-origin')).toBe(
    isCheckout(name) || (isOpenToRead(name) && answer.ok) ? '*' : null,
  )
  for (const none of ['access-control-allow-credentials', 'set-cookie', 'server', 'x-powered-by'])
    expect(headers.get(none), none).toBeNull()
}

describe.each(NAMES)('%s', (name) => {
  it('sends all security headers, for right and wrong requests', async () => {
    const right = validRequest(name, await scene.at(caseOf(name).stage))
    const answer = await send(right)
    expect(caseOf(name).statuses).toContain(answer.status)
    await isHeldTo(name, answer)
    await isHeldTo(name, await send({ ...right, headers: { ...right.headers, authorization: 'Basic !' } }))
    await isHeldTo(name, await send({ ...right, path: right.path.replace(/[0-9a-f-]{36}/, 'none') }))
    const refused = await send({ ...right, method: 'PATCH' })
    expect([401, 405]).toContain(refused.status)
    await isHeldTo(name, refused)
  })

  it('runs no code from its text, and marks its own scripts and styles', async () => {
    const answer = await send(validRequest(name, await scene.at(caseOf(name).stage)))
    if (!isPage(answer)) return expect(caseOf(name).answer).not.toBe('page')
    const text = await answer.text()
    const policy = answer.headers.get('content-security-policy') ?? ''
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? []
    const own = [...text.matchAll(/<(script|style)\b([^>]*)>([^<]*)/g)]
    expect(own.length).toBeGreaterThan(0)
    for (const [tag, , attributes, written = ''] of own)
      if (tag.startsWith('<script') && nonce === undefined) {
        // A cached page has no nonce. Its scripts are files of this origin.
        expect(attributes, tag).toContain(' src="sdk/')
        expect(written).toBe('')
      } else if (tag.startsWith('<script')) expect(attributes, tag).toContain(`nonce="${nonce}"`)
      // The policy names a style by its hash, so that a page without scripts may be cached.
      else expect(policy).toContain(`'sha256-${createHash('sha256').update(written).digest('base64')}'`)
    expect(text.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/g, '')).not.toMatch(/\son[a-z]+=|\sstyle=|javascript:/i)
  })
})

it('a nonce is different each time', async () => {
  const { path } = validRequest('GET /pay/:uuid/:token', await scene.at('paying'))
  const policies = await Promise.all(
    [1, 2, 3].map(async () => (await scene.send(path, {})).headers.get('content-security-policy')),
  )
  expect(new Set(policies).size).toBe(3)
})

it('an unknown path gets the same headers', async () => {
  for (const path of ['/nothing', '/api/v1/nothing', '/../console'])
    await isHeldTo('GET /nothing', await scene.send(path, {}))
})

describe('a preflight', () => {
  const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' }

  it.each(NAMES)('of %s allows a page of another origin only for the checkout', async (name) => {
    const { path } = validRequest(name, await scene.at(caseOf(name).stage))
    const headers = { ...preflight, origin: 'https://shop.example' }
    const answer = await scene.send(path, { method: 'OPTIONS', headers })
    expect(answer.headers.get('access-control-allow-origin')).toBe(isCheckout(name) ? '*' : null)
    expect(answer.ok).toBe(isCheckout(name))
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

it('https is enforced for a year if the address is permanent', async () => {
  const appWith = (usesHsts: boolean) => new Hono().use('*', securityHeaders({ usesHsts })).get('/', (c) => c.text(''))
  const [lasting, passing] = await Promise.all([appWith(true).request('/'), appWith(false).request('/')])
  expect(lasting.headers.get('strict-transport-security')).toBe('max-age=31536000')
  expect(passing.headers.get('strict-transport-security')).toBeNull()
})
