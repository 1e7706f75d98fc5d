// The OpenAPI document must describe every route, codec and name, and must be valid for the
// validators of OpenAPI 3.1 and JSON Schema 2020-12.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type JsonSchema, reflector } from '@plazo/core/internal'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as t from 'io-ts'
import { afterAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import { templateOf } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { openScene } from '../../security/fuzz/scene.ts'
import { conformityOf, FORMATS } from './conformity.ts'

const PROTOCOL = fileURLToPath(new URL('../../../packages/core/src/protocol/', import.meta.url))

const scene = await openScene()
afterAll(() => scene.stop())

const documentOf = async (of: {
  readonly app: Pick<typeof scene.app, 'request'>
}): Promise<OpenApiDocument> =>
  (await (await of.app.request('/openapi.json')).json()) as OpenApiDocument

const document = await documentOf(scene)

/** What people’s browsers load. */
const PAGES = [
  /^(GET|POST) \/console(\/|$)/,
  /^GET \/(favicon|sdk\/|assets\/|privacy|machine|pay\/|verify\/|docs|openapi)/,
  /^GET \/($|demo\/return|sandbox\/(lender|receiving|pay|verify|(demo\/)?webhooks))/,
]

const operationsIn = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  )

const withoutWords = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutWords)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== 'description' || typeof value !== 'string')
      .map(([keyword, value]) => [keyword, withoutWords(value)]),
  )
}

const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(partsOf)]
    : []

const codecsIn = async (file: string): Promise<readonly (readonly [string, t.Mixed])[]> =>
  Object.entries((await import(`${PROTOCOL}${file}`)) as Readonly<Record<string, unknown>>).flatMap(
    ([name, it]) => (it instanceof t.Type ? [[name, it as t.Mixed] as const] : []),
  )

describe('the document', () => {
  it('describes every call of the app but what people’s browsers load, and no other', async () => {
    const described = operationsIn(document).map(([call]): string => call)
    const calls = scene.calls.map(templateOf)
    expect(calls).toEqual(expect.arrayContaining(described))
    expect(
      calls.filter((call) => !described.includes(call) && !PAGES.some((page) => page.test(call))),
    ).toEqual([])
  })

  const files = readdirSync(PROTOCOL).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  it.each(files)('contains every codec of protocol/%s', async (file) => {
    const parts = new Set(partsOf(document).map((part) => JSON.stringify(withoutWords(part))))
    const missing = (await codecsIn(file)).filter(
      ([, codec]) =>
        !parts.has(
          JSON.stringify(withoutWords(reflector('#/components/schemas/').schemaOf(codec))),
        ),
    )
    expect(missing.map(([name]) => name)).toEqual([])
  })

  it('is OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)))
    expect([errors, valid, validator.version]).toEqual([undefined, true, '3.1'])
  })

  it.each(Object.keys(document.components.schemas))(
    'has strict JSON Schema 2020-12 for %s',
    (name) => {
      const defs = JSON.parse(
        JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
      ) as Record<string, JsonSchema>
      const ajv = new Ajv2020({ strict: true, strictRequired: false, formats: FORMATS })
      expect(() => ajv.compile({ $ref: `#/$defs/${name}`, $defs: defs })).not.toThrow()
    },
  )

  it('has examples that match their schemas', () => {
    const { holds } = conformityOf(document)
    let count = 0
    const walk = (place: readonly string[], value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      const { schema, examples = {} } = value as {
        readonly schema?: unknown
        readonly examples?: object
      }
      const found: readonly { readonly value: unknown }[] = Object.values(examples)
      if (schema !== undefined)
        for (const example of found) {
          holds([...place, 'schema'], example.value)
          count += 1
        }
      for (const [name, member] of Object.entries(value)) walk([...place, name], member)
    }
    walk(['paths'], document.paths)
    walk(['webhooks'], document.webhooks)
    expect(count).toBeGreaterThan(40)
  })
})

it('the names in the document are the ones configured on this server', async () => {
  const names = { SERVICE_NAME: 'Acme', IPN_STATE_PARAMETER: 'ac_state' }
  const plazo = await composeInMode(configFrom({ DATABASE_URL: 'sqlite::memory:', ...names }), {
    baseUrl: 'https://pay.acme.test',
    log: () => {},
  })
  const named = await documentOf(plazo)
  await plazo.stop()
  const text = JSON.stringify(named)
  for (const name of [
    'X-Acme-Signature',
    'Acme-Event/1.0',
    'Acme-Merchant-Id',
    'acme_privacy_policy_accepted',
    'Acme.payment_successful',
    '"ac_state"',
  ])
    expect(text).toContain(name)
  expect(text).not.toMatch(/X-Service|Service-|Service\.|service_privacy|sq_state|localhost/)
  expect(named.servers).toEqual([{ url: 'https://pay.acme.test' }])
})

describe('/openapi.json and /docs', () => {
  it.each(['/openapi.json', '/docs'])(
    '%s is public, and answers 304 if nothing has changed',
    async (path) => {
      const first = await scene.app.request(path)
      const etag = first.headers.get('etag') ?? ''
      expect([first.status, first.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=300',
      ])
      expect(etag).toMatch(/^"[\w-]{43}"$/)
      for (const match of [`"other", W/${etag}`, '*']) {
        const repeated = await scene.app.request(path, { headers: { 'if-none-match': match } })
        expect([repeated.status, await repeated.text(), repeated.headers.get('etag')]).toEqual([
          304,
          '',
          etag,
        ])
      }
    },
  )
})
