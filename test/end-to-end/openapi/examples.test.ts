// Sends every example of the document to a running server. The server must accept it, and the answer
// must match the document. So must the commands that docs/sandbox.md has to paste.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import type { OperationObject } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'
import { basic, DEMO, shopAt } from '../../harness/shop.ts'
import { textOf } from '../../security/fuzz/fuzz-route.ts'
import { casesIn } from '../../security/fuzz/routes.ts'
import { servedShop } from '../served-shop.ts'
import { requestsAt, stagesOf, type Target, targetsOf } from '../stages.ts'
import { conformityOf } from './conformity.ts'

const { server, receiver } = await servedShop()
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument
const conformity = conformityOf(document)
const cases = casesIn(document)

/** An order in the state that the call needs, and the values for its path. */
const targetOf = async (call: string): Promise<Target> => {
  const shop = shopAt(server.url)
  const { stage = 'placed' } = cases[call.replaceAll(/\{(\w+)\}/g, ':$1')] ?? {}
  if (!call.includes('/deliveries')) return targetsOf(shop)[stage]()
  const orderRef = await stagesOf(shop).settled()
  const listed = await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${orderRef}`)
  const [first] = (await listed.json()) as readonly { readonly id: string }[]
  return { orderRef, params: { id: first?.id ?? '' } }
}

const PASSWORDS = {
  merchant: basic(DEMO.username, DEMO.password),
  operator: basic('operator', 'operator'),
}

const urlOf = (path: string, { parameters = [] }: OperationObject, target: Target): URL => {
  const examples = Object.fromEntries(parameters.map(({ name, example = '' }) => [name, example]))
  const values: Target['params'] = { ...examples, ...target.params, order_ref: target.orderRef }
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
  const url = new URL(filled, server.url)
  for (const { name, in: place } of parameters)
    if (place === 'query' && values[name] !== '') url.searchParams.set(name, values[name] ?? '')
  return url
}

const bodyOf = (mediaType: string, example: unknown): string | URLSearchParams =>
  mediaType === 'application/json'
    ? JSON.stringify(example)
    : new URLSearchParams(example as Readonly<Record<string, string>>)

// Three must be signed, and a shopper is erased once the order has ended.
const UNSENT = ['demoNotify', 'demoEvents', 'providerCallback', 'eraseShopper']

const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { operationId }]) => !UNSENT.includes(operationId))
    .flatMap(([method, operation]) => {
      const [[mediaType, { examples }] = ['', {}]] = Object.entries(
        operation.requestBody?.content ?? {},
      )
      const sent = Object.entries(examples ?? { 'no body': { value: undefined } })
      return sent.map(
        ([name, { value }]) =>
          [
            `${method.toUpperCase()} ${path}`,
            name,
            { method, path, operation, mediaType, value },
          ] as const,
      )
    }),
)

it.each(examples)(
  '%s with %s is accepted, and the answer matches the document',
  async (call, _name, { method, path, operation, mediaType, value }) => {
    const [scheme = ''] = operation.security.flatMap((each) => Object.keys(each))
    const response = await fetch(urlOf(path, operation, await targetOf(call)), {
      method,
      headers: {
        ...(scheme !== '' && { authorization: PASSWORDS[scheme as keyof typeof PASSWORDS] }),
        ...(mediaType !== '' && { 'content-type': mediaType }),
      },
      redirect: 'manual',
      body: value === undefined ? null : bodyOf(mediaType, value),
    })
    const text = await textOf(response)
    expect([response.status, text.slice(0, 500)]).toEqual([
      Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      text.slice(0, 500),
    ])
    if (operation.operationId === 'identify') expect(text).not.toContain('invalid')
    conformity.answers(method, path, { status: response.status, headers: response.headers, text })
  },
)

it('a whole checkout pasted from the guide ends with finish', () => {
  const guide = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
  const [, commands = ''] = /## A whole checkout[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? []
  const pasted = commands.replaceAll('http://127.0.0.1:3000', server.url)
  const answers = execFileSync('sh', ['-c', pasted], { encoding: 'utf8' })
  expect(answers.trim().split('\n').at(-1)).toMatch(/^\{"action":"finish"/)
})

it('every request to a merchant is as the document says', async () => {
  const shop = shopAt(server.url)
  for (const [event, { post }] of Object.entries(document.webhooks)) {
    const path = `/example-${event}`
    const body = { event, url: `${receiver.url}${path}` }
    const example = await shop.asMerchant('POST', '/merchants/demo/deliveries/example', body)
    expect(example.status).toBe(200)
    const [request, ...others] = requestsAt(receiver, path)
    expect(others).toEqual([])
    const [mediaType = ''] = Object.keys(post?.requestBody?.content ?? {})
    for (const { name } of post?.parameters ?? [])
      expect(request?.headers).toHaveProperty([name.toLowerCase()])
    expect(request?.headers['content-type']).toBe(mediaType)
    const place = ['webhooks', event, 'post', 'requestBody', 'content', mediaType, 'schema']
    const isJson = mediaType === 'application/json'
    conformity.holds(place, isJson ? JSON.parse(request?.body ?? '') : request?.fields)
  }
})
