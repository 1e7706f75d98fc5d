import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import * as core from '../index.ts'
import { cardMessage, decodeWith, identificationForm } from '../index.ts'
import { nearMissesOf, valuesOf } from './codec-values.ts'

const all: readonly (readonly [string, t.Mixed])[] = [
  ...Object.entries(core as Readonly<Record<string, unknown>>).flatMap(([name, it]) =>
    it instanceof t.Type ? [[name, it as t.Mixed] as const] : [],
  ),
  ['identificationForm', identificationForm('service_privacy_policy_accepted', null)],
  ['identificationForm of Spain', identificationForm('service_privacy_policy_accepted', 'ES')],
  ['cardMessage', cardMessage('Service')],
]

// What an order is stored as has no JSON Schema: it crosses no wire.
const hasSchema = ([, codec]: readonly [string, t.Mixed]): boolean =>
  E.isRight(
    E.tryCatch(
      () => valuesOf(codec),
      () => null,
    ),
  )
const known = all.filter(hasSchema)

describe('the values of a codec', () => {
  it('are made of every codec of the protocol', () => {
    expect(known.length).toBeGreaterThan(40)
    expect(all.filter((each) => !hasSchema(each)).map(([name]) => name)).toEqual(['ToldContext'])
  })

  it('are found for each of them, and what misses them by one member too', () => {
    const without = known.filter(([, codec]) =>
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
    '%s: what is wrong is named by the sentence that refuses it',
    (wanted) => {
      const [, codec] = known.find(([name]) => name === wanted) ?? []
      if (codec === undefined) throw new Error(`There is no codec ${wanted}.`)
      fc.assert(
        fc.property(nearMissesOf(codec), ({ value, wrong }) => {
          const decoded = decodeWith(codec)(value)
          const sentences = E.isLeft(decoded) ? decoded.left.join(' ') : ''
          expect(sentences).toContain(wrong)
        }),
        { numRuns: 60 },
      )
    },
  )
})
