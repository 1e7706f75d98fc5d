import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { acceptsCallback, decodeCallback, PROVIDER_PORTS, type ProviderPort } from './provider-callback.ts'

const ORDER = '1b4e28ba-2fa1-4d2f-883f-0016d3cca427'
const idOf = (lane: string) => `${ORDER}:6:${lane}`

const LANES = ['screening', 'sms', 'session', 'payment', 'refund', 'risk', 'watch', 'constructor']

describe('a callback', () => {
  it('can be sent to five ports', () => {
    expect(PROVIDER_PORTS).toEqual(['screening', 'sms', 'identity', 'payment', 'risk'])
  })

  it.each<readonly [ProviderPort, readonly string[]]>([
    ['screening', ['screening']],
    ['sms', []],
    ['identity', ['session']],
    ['payment', ['payment']],
    ['risk', ['risk', 'watch']],
  ])('may send %s only %j', (port, lanes) => {
    expect(LANES.filter((lane) => acceptsCallback(port, lane))).toEqual(lanes)
  })

  it.each<readonly [ProviderPort, string, object, object]>([
    [
      'screening',
      'screening',
      { outcome: 'denied' },
      { type: 'screening.resolved', outcome: 'denied', alternative: null },
    ],
    ['identity', 'session', { status: 'VERIFIED' }, { type: 'session.reported', status: 'VERIFIED' }],
    ['payment', 'payment', { status: 'succeeded' }, { type: 'payment.succeeded', card: null, keep: false }],
    ['payment', 'payment', { status: 'failed', reason: 'stolen' }, { type: 'payment.failed', reason: 'stolen' }],
    ['risk', 'risk', { level: 'high_risk' }, { type: 'risk.assessed', level: 'high_risk' }],
    ['risk', 'watch', { cancel_in_seconds: 90 }, { type: 'cancellation.advised', delay: 90_000 }],
  ])('to %s answers the question in lane %s', (port, lane, overrides, update) => {
    expect(decodeCallback(port)({ id: idOf(lane), ...overrides })).toEqual(
      E.right({ id: idOf(lane), orderRef: ORDER, update: update }),
    )
  })

  it('never reports that there is no reason to cancel', () => {
    expect(decodeCallback('risk')({ id: idOf('watch'), cancel_in_seconds: null })).toEqual(
      E.left(['Invalid data: cancel_in_seconds is null, but must be a whole number in a callback.']),
    )
  })

  it.each([
    ...[undefined, '', ORDER, idOf('payment'), idOf('sms'), idOf('constructor'), `x${idOf('screening')}`],
    ...[`${idOf('screening')}2`, `${ORDER}:6a:screening`, `${ORDER}::screening`, `${ORDER}:1234567890:screening`],
    ...[`${ORDER.toUpperCase()}:6:screening`, `1b4e28b:6:screening`],
  ])('must name a question that its port was asked: %j', (id) => {
    const decoded = decodeCallback('screening')({ id, outcome: 'denied' })
    expect(E.isLeft(decoded) ? decoded.left.join(' ') : decoded.right).toContain(
      'must be the id of a question of screening.',
    )
  })

  it('may name any revision of an order', () => {
    const id = `${ORDER}:123456789:screening`
    expect(decodeCallback('screening')({ id, outcome: 'denied' })).toMatchObject(E.right({ id, orderRef: ORDER }))
  })

  it('is rejected if its content is invalid', () => {
    expect(decodeCallback('identity')({ id: idOf('session'), status: 'SOON' })).toEqual(
      E.left(['Invalid data: status is "SOON", but must be one of VERIFIED, FAILED, ERROR.']),
    )
  })
})
