// Checks that the conformity check rejects answers that do not match the document.

import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import { openScene } from '../../security/fuzz/scene.ts'
import { conformityOf } from './conformity.ts'

const scene = await openScene()
const document = (await (await scene.app.request('/openapi.json')).json()) as OpenApiDocument
const { orderRef } = await scene.at('placed')
const { order } = await scene.seen(orderRef)
await scene.stop()

const { answers } = conformityOf(document)
const ORDER = '/orders/{uuid}'
const JSON_TYPE = 'application/json'

const checkResponse = (status: number, contentType: string, body: unknown) => () =>
  answers('GET', ORDER, {
    status,
    headers: new Headers({ 'content-type': contentType }),
    text: JSON.stringify(body),
  })

const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Order not found.' }

describe('an answer', () => {
  it.each([
    ['an order', 200, `${JSON_TYPE}; charset=UTF-8`, order],
    ['a documented problem', 404, 'application/problem+json', problem],
    ['a problem like any other', 503, 'application/problem+json', problem],
  ] as const)('that is %s matches the document', (_name, status, type, body) => {
    expect(checkResponse(status, type, body)).not.toThrow()
  })

  it.each([
    ['an order with one member more', 200, JSON_TYPE, { ...order, surnames: 'Prueba Ensayo' }],
    [
      'an order with a state that there is not',
      200,
      JSON_TYPE,
      { ...order, state: { ...order.state, risk: 'none' } },
    ],
    ['an order without its product', 200, JSON_TYPE, { ...order, product: undefined }],
    ['an order with an invalid instant', 200, JSON_TYPE, { ...order, updated_at: 'yesterday' }],
    ['an order of another type', 200, 'text/plain', order],
    ['a problem as plain JSON', 404, JSON_TYPE, problem],
    ['a refusal of another form', 404, 'application/problem+json', { error: 'none' }],
    ['no problem, with a status of one', 500, JSON_TYPE, {}],
  ] as const)('that is %s does not match', (_name, status, type, body) => {
    expect(checkResponse(status, type, body)).toThrow()
  })

  it('to an operation outside the document does not match', () => {
    const answer = { status: 200, headers: new Headers(), text: '' }
    expect(() => answers('DELETE', ORDER, answer)).toThrow('says nothing of DELETE')
    expect(() => answers('GET', '/nowhere', answer)).toThrow('says nothing of GET /nowhere')
  })
})
