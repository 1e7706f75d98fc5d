// Sends every example of the document to a running server, as the curl command that the page shows.
// The server must accept it, and the answer must match the document.

import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import type { ReceivedRequest } from '../../harness/receiver.ts'
import { CARD, shopAt } from '../../harness/shop.ts'
import { textOf } from '../../security/fuzz/fuzz-route.ts'
import { casesIn } from '../../security/fuzz/routes.ts'
import { servedShop } from '../served-shop.ts'
import { addressesAt, agreement, stagesOf, surnames, targetsOf } from '../stages.ts'
import { conformityOf } from './conformity.ts'
import { type CurlRequest, curlRequest, type Variables } from './curl.ts'

const { server, receiver } = await servedShop()
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument
const conformity = conformityOf(document)

const send = ({ method, url, headers, body }: CurlRequest): Promise<Response> =>
  fetch(url, { method, headers, body, redirect: 'manual' })

const cases = casesIn(document)

/** Values for the variables in a sample, about an order in the state that its call needs. */
const variablesFor = async (call: string): Promise<Variables> => {
  const shop = shopAt(server.url)
  const { stage = 'placed' } = cases[call.replaceAll(/\{(\w+)\}/g, ':$1')] ?? {}
  if (call.includes('/deliveries')) {
    const ORDER = await stagesOf(shop).settled()
    const listed = await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${ORDER}`)
    const [first] = (await listed.json()) as readonly { readonly id: string }[]
    return { ORDER, DELIVERY: first?.id ?? '' }
  }
  const { orderRef, params } = await targetsOf(shop)[stage]()
  const named = Object.entries(params).map(([name, value]) => [
    name.toUpperCase(),
    encodeURIComponent(value),
  ])
  return { ORDER: orderRef, ...Object.fromEntries(named) }
}

type ShownExample = {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly sample: number
}

const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, 'x-codeSamples': samples = [] }]) =>
    samples.map(
      ({ label }, sample) =>
        [
          `${method.toUpperCase()} ${path}`,
          label,
          { method, path, id: operationId, sample } satisfies ShownExample,
        ] as const,
    ),
  ),
)

// Their samples would need a signature, or would never end.
const UNSAMPLED = [
  ...['demoNotify', 'demoEvents', 'providerCallback', 'eraseShopper', 'followOrderOnMachine'],
]

describe('the samples', () => {
  it('exist for every operation, one for each example of its body', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { operationId, requestBody, 'x-codeSamples': samples = [] } of Object.values(
        methods,
      )) {
        const [content] = Object.values(requestBody?.content ?? {})
        const examples = Object.keys(content?.examples ?? { 'the request': null })
        expect([path, samples.map(({ label }) => label)]).toEqual([
          path,
          UNSAMPLED.includes(operationId) ? [] : examples,
        ])
      }
  })

  it.each(bodies)(
    '%s with %s is accepted, and the answer matches the document',
    async (call, label, { method, path, id, sample }) => {
      const operation = document.paths[path]?.[method]
      const variables = await variablesFor(call)
      const request = curlRequest(operation?.['x-codeSamples']?.[sample]?.source ?? '', variables)
      const [[mediaType, media] = []] = [Object.entries(operation?.requestBody?.content ?? {})[0]]
      const example = media?.examples?.[label]?.value
      if (mediaType === 'application/json') expect(JSON.parse(request.body ?? '')).toEqual(example)
      else if (mediaType !== undefined)
        expect(Object.fromEntries(new URLSearchParams(request.body ?? ''))).toEqual(example)
      const response = await send(request)
      const text = await textOf(response)
      expect([response.status, text.slice(0, 500)]).toEqual([
        Number(Object.keys(operation?.responses ?? {}).find((status) => status.startsWith('2'))),
        text.slice(0, 500),
      ])
      if (id === 'identify') expect(text).not.toContain('invalid')
      conformity.answers(method, path, { status: response.status, headers: response.headers, text })
    },
  )
})

it('a whole checkout as the page shows it ends with finish', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text()
  const [, escaped = ''] = /<h2 id="walk">[\s\S]*?<pre><code>([\s\S]*?)<\/code>/.exec(page) ?? []
  const entities: Variables = {
    '&quot;': '"',
    '&#39;': "'",
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
  }
  const text = escaped.replace(/&(quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
  const samples = text.split(/\n(?=curl |ORDER=\$\()/)
  let variables: Variables = {}
  let answer = ''
  for (const sample of samples) {
    const response = await send(curlRequest(sample, variables))
    answer = await response.text()
    if (sample.startsWith('ORDER='))
      variables = { ORDER: response.headers.get('location')?.split('/').at(-1) ?? '' }
  }
  expect(samples.length).toBe(7)
  expect(JSON.parse(answer)).toMatchObject({ action: 'finish' })
})

describe('a request to a merchant', () => {
  const requestsTo = (path: string): readonly ReceivedRequest[] =>
    receiver.received.filter((it) => it.path === path)

  const expectAsDocumented = (name: string, { headers, body, fields }: ReceivedRequest): void => {
    const { parameters = [], requestBody } = document.webhooks[name]?.post ?? {}
    const [mediaType = ''] = Object.keys(requestBody?.content ?? {})
    for (const { name: header } of parameters)
      expect(headers).toHaveProperty([header.toLowerCase()])
    expect(headers['content-type']).toBe(mediaType)
    const payload: unknown = mediaType === 'application/json' ? JSON.parse(body) : fields
    conformity.holds(
      ['webhooks', name, 'post', 'requestBody', 'content', mediaType, 'schema'],
      payload,
    )
  }

  it.each([
    ['ipn', {}],
    ['denied', surnames('denial event')],
    ['cancelled', surnames('review event')],
    ['cancel', {}],
    ['risk_assessment', agreement('fp1')],
  ] as const)('matches the document for %s', async (name, extra) => {
    const shop = shopAt(server.url)
    const { ipn, events, merchant } = addressesAt(receiver, `request-${name}`, { shop: '7' })
    const { ref, action } = await stagesOf(shop).revealed(extra, { merchant })
    if (name === 'risk_assessment') await shop.pay(action.iframe_url, CARD)
    await shop.advance(0)
    if (name === 'cancelled') await shop.decide(ref, 'reject')
    if (name === 'cancel') await shop.decide(ref, 'request-cancellation')
    await shop.advance(0)
    const requests =
      name === 'ipn'
        ? requestsTo(ipn)
        : requestsTo(events).filter(({ fields }) => fields.event === name)
    expect(requests.length).toBeGreaterThan(0)
    for (const each of requests) expectAsDocumented(name, each)
  })

  it('matches the document for every example that can be sent', async () => {
    const shop = shopAt(server.url)
    for (const name of Object.keys(document.webhooks)) {
      const body = { event: name, url: `${receiver.url}/example-${name}` }
      expect(
        (await shop.asMerchant('POST', '/merchants/demo/deliveries/example', body)).status,
      ).toBe(200)
      const requests = requestsTo(`/example-${name}`)
      expect(requests.length).toBe(1)
      for (const each of requests) expectAsDocumented(name, each)
    }
  })
})
