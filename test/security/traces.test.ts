// Tests the search for traces. If it found nothing at all, the privacy tests would prove nothing.
import { describe, expect, it } from 'vitest'
import { shortTracesOf, tracesIn, tracesOf } from './traces.ts'

const VALUE = 'Núria Ángel & Cía 7/3'
// Neither text nor the beginning of a character.
const BINARY = Buffer.from([0x00, 0xff, 0xe2, 0x80, 0xc3])
const JSON_OF = JSON.stringify

describe('a trace', () => {
  it.each<[string, string]>([
    ['plain', `a ${VALUE} b`],
    ['in JSON in JSON', JSON_OF({ a: JSON_OF({ b: VALUE }) })],
    ['in ASCII', 'N\\u00fAria \\u00c1ngel & C\\u00EDa 7/3'],
    ['in base64 for URLs', Buffer.from(`{"a":"${VALUE}"}`).toString('base64url')],
    ['in hex', Buffer.from(VALUE).toString('hex')],
    ['decomposed', VALUE.normalize('NFD')],
  ])('is found %s', (_, text) => {
    expect(tracesOf([VALUE], `before ${text} behind`)).not.toEqual([])
    expect(tracesIn(Buffer.concat([BINARY, Buffer.from(text), BINARY]), [VALUE])).toEqual([VALUE])
  })

  it('in a log is found in pieces', () => {
    const text = '["Núria",["Ángel &"],["Cía","7","3"]]'
    expect(tracesOf([VALUE], text)).toEqual([`${VALUE} in pieces`])
  })

  it('is not found if there is none', () => {
    const text = JSON_OF({ time: 1_763_700_000_000, msg: 'Núria, Ángel' })
    expect([tracesOf([VALUE], text), tracesIn(Buffer.from(text), [VALUE])]).toEqual([[], []])
  })

  it('of a short value is found if nothing adjoins the value, but not within a number or a time', () => {
    const line = (fields: object): string =>
      JSON_OF({ time: 1_763_712_345_678, pid: 12_345, ...fields })
    expect(shortTracesOf(['12345'], line({ msg: 'the code 12345 is wrong' }))).toEqual(['12345'])
    expect(shortTracesOf(['12345'], `oops: 12345`)).toEqual(['12345'])
    expect(shortTracesOf(['12345'], line({ msg: 'no code', order_ref: 'aaaa12345' }))).toEqual([])
  })
})
