import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import * as core from '../internal.ts'
import { identificationForm } from '../protocol/identification-form.ts'
import { nearMissesOf, valuesOf } from './codec-values.ts'

// Stored orders are no part of the protocol.
const { StoredContext: _stored, ...codecs } = core

const all: readonly (readonly [string, t.Mixed])[] = [
  ...Object.entries<unknown>(codecs).flatMap(([name, it]) =>
    it instanceof t.Type ? [[name, it as t.Mixed] as const] : [],
  ),
  ['identificationForm', identificationForm('service_privacy_policy_accepted', null)],
  ['identificationForm of Spain', identificationForm('service_privacy_policy_accepted', 'ES')],
]

describe('the values of a codec', () => {
  it('exist for every codec of the protocol', () => {
    expect(all.length).toBeGreaterThan(60)
    for (const [name, codec] of all) expect(() => valuesOf(codec), name).not.toThrow()
  })

  it('can each be made invalid by one wrong member', () => {
    const without = all.filter(([, codec]) =>
      E.isLeft(
        E.tryCatch(
          () => fc.sample(nearMissesOf(codec), 25),
          () => null,
        ),
      ),
    )
    expect(without.map(([name]) => name)).toEqual([])
  })

  it.each(['PlaceOrderPayload', 'ConfirmOrderPayload', 'UpdateOrderPayload', 'identificationForm'])(
    '%s: the message of an error names the invalid member',
    (expected) => {
      const [, codec] = all.find(([name]) => name === expected) ?? []
      if (codec === undefined) throw new Error(`There is no codec ${expected}.`)
      fc.assert(
        fc.property(nearMissesOf(codec), ({ value, wrong }) => {
          const decoded = core.decodeWith(codec)(value)
          const sentences = E.isLeft(decoded) ? decoded.left.join(' ') : ''
          expect(sentences).toContain(wrong)
        }),
        { numRuns: 60 },
      )
    },
  )
})
