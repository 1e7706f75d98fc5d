import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import {
  absentOr,
  absentOrObject,
  Currency,
  decodeWith,
  FlatStrings,
  instantOf,
  isNestedTooDeeply,
  listOf,
  MinorAmount,
  NonEmptyText,
  objectOf,
  orNull,
  PositiveMinorAmount,
  Text,
  WebUrl,
  WholeNumber,
} from './scalars.ts'

describe('a scalar', () => {
  it.each([
    ['text', Text, ['', ' ', 'a'], [null, 0, [], {}]],
    ['non-empty text', NonEmptyText, ['a', ' a '], ['', ' ', '\n', '\u00a0', null, 0, ['a'], {}]],
    [
      'a whole number',
      WholeNumber,
      [0, -1, 24, 1e3],
      [1.5, 2 ** 53, '1', null, true, Number.NaN, Number.POSITIVE_INFINITY],
    ],
    ['an amount', MinorAmount, [0, -100, 12100], [0.5, 2 ** 53, '12100', null, []]],
    ['an amount over 0', PositiveMinorAmount, [1, 12100], [0, -1, 0.5, 2 ** 53, '1', null]],
    ['a currency', Currency, ['EUR', 'USD'], ['eur', 'EU', 'EURO', 'EUR\n', '', '€', 978, null]],
    [
      'flat strings',
      FlatStrings,
      [{}, { a: '' }, { a: 'b' }],
      [[], { a: 1 }, { a: null }, { a: {} }, 'a=b', null],
    ],
  ] as const)(
    'of the type %s accepts its values and rejects others',
    (_name, codec, right, wrong) => {
      for (const value of right) expect(codec.decode(value)).toEqual(E.right(value))
      for (const value of wrong)
        expect(E.isLeft((codec as t.Type<unknown>).decode(value))).toBe(true)
    },
  )

  it.each([
    'http://127.0.0.1:8098/ipn',
    'https://shop.example.test/?a=b',
    'HTTPS://SHOP.example.test',
    'http://[::1]/',
  ])('of the type URL accepts http and https, unchanged: %s', (url) => {
    expect(WebUrl.decode(url)).toEqual(E.right(url))
  })

  it.each(
    [
      ['', 'shop.example.test', '//shop.example.test', '/ipn', 'ftp://shop.example.test'],
      ['shttp://shop.example.test', 'javascript:alert(1)', 'http://', 'data:,x', 7, null],
    ].flat(),
  )('of the type URL rejects %j', (url) => {
    expect(E.isLeft(WebUrl.decode(url))).toBe(true)
  })

  it('accepts every whole number that JSON carries exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(MinorAmount.decode(JSON.parse(String(value)))).toEqual(E.right(value))
        expect(E.isRight(PositiveMinorAmount.decode(value))).toBe(value > 0)
      }),
    )
  })
})

describe('an optional value', () => {
  it.each([undefined, null, ''])('is absent as %j', (value) => {
    expect(absentOr(NonEmptyText).decode(value)).toEqual(E.right(null))
  })

  it('is present or null, and validated if it is given', () => {
    const codec = absentOr(WholeNumber)
    expect([codec.decode(5), E.isLeft(codec.decode('5'))]).toEqual([E.right(5), true])
    expect([codec.is(null), codec.is(5), codec.is('5'), codec.is(undefined)]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })

  it('may be an empty list instead of an object, because PHP sends it', () => {
    const codec = absentOrObject(objectOf({ a: Text }))
    for (const nothing of [[], null, undefined, ''])
      expect(codec.decode(nothing)).toEqual(E.right(null))
    expect(codec.decode({ a: '' })).toEqual(E.right({ a: '' }))
    expect(decodeWith(codec)([1])).toEqual(
      E.left(['Invalid data: the body is [1], but must be an object, or absent.']),
    )
  })
})

describe('a nullable value', () => {
  const codec = orNull(objectOf({ a: WholeNumber }))

  it('is present or null', () => {
    for (const value of [null, { a: 1 }])
      expect([codec.is(value), codec.decode(value)]).toEqual([true, E.right(value)])
    for (const value of [undefined, '', 0, {}])
      expect([codec.is(value), E.isLeft(codec.decode(value))]).toEqual([false, true])
  })

  it('reports an error once, with its path', () => {
    const body = t.type({ of: codec })
    expect(decodeWith(body)({ of: { a: 'x' } })).toEqual(
      E.left(['Invalid data: of.a is "x", but must be a whole number.']),
    )
    expect(decodeWith(body)({ of: 5 })).toEqual(
      E.left(['Invalid data: of is 5, but must be an object, or null.']),
    )
    expect(decodeWith(body)({})).toEqual(
      E.left(['Invalid data: of is missing, and must be an object, or null.']),
    )
  })
})

describe('an object', () => {
  const codec = objectOf({
    id: NonEmptyText,
    at: absentOr(objectOf({ url: WebUrl, note: absentOr(Text) })),
  })

  it('keeps unknown members', () => {
    expect(codec.decode({ id: 'a', other: { b: [1] } })).toMatchObject(
      E.right({ id: 'a', other: { b: [1] } }),
    )
  })

  it('reports errors with a readable path', () => {
    expect(decodeWith(codec)({ at: { url: 'x', note: 1 } })).toEqual(
      E.left([
        'Invalid data: id is missing, and must be a non-empty string.',
        'Invalid data: at.url is "x", but must be an http or https URL.',
        'Invalid data: at.note is 1, but must be a string, or absent.',
      ]),
    )
  })

  it('reports once that the value is not an object', () => {
    expect(decodeWith(codec)([])).toEqual(
      E.left(['Invalid data: the body is [], but must be an object.']),
    )
    expect(decodeWith(codec)({ id: 'a', at: 5 })).toEqual(
      E.left(['Invalid data: at is 5, but must be an object, or absent.']),
    )
  })
})

describe('an error message', () => {
  const messageFor = (value: unknown, codec: t.Mixed = WholeNumber): string =>
    (E.toUnion(decodeWith(codec)(value)) as readonly string[]).join(' ')

  it('shows a value, up to 80 characters of it', () => {
    expect(messageFor('x'.repeat(78))).toContain(`is "${'x'.repeat(78)}", but`)
    expect(messageFor('x'.repeat(79))).toContain(`is "${'x'.repeat(76)}..., but`)
  })

  it('does not show deeply nested values', () => {
    const nestArrays = (levels: number): unknown => (levels === 0 ? [] : [nestArrays(levels - 1)])
    expect([isNestedTooDeeply(nestArrays(199)), isNestedTooDeeply(nestArrays(200))]).toEqual([
      false,
      true,
    ])
    expect([isNestedTooDeeply(null), isNestedTooDeeply('x'), isNestedTooDeeply([[1]], 1)]).toEqual([
      false,
      false,
      true,
    ])
    expect(messageFor(nestArrays(200))).toBe(
      'Invalid data: the body is nested too deeply to be shown, but must be a whole number.',
    )
  })

  it.each([
    ['items', listOf('an array', WholeNumber), (count: number) => Array(count).fill('x')],
    [
      'members',
      FlatStrings,
      (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1])),
    ],
    ['items of io-ts', t.array(WholeNumber), (count: number) => Array(count).fill('x')],
  ])(
    'appears for each of the first 20 wrong %s, followed by one that says that there are more',
    (_, codec, wrong) => {
      const of = (count: number): readonly string[] =>
        E.toUnion(decodeWith(codec as t.Mixed)(wrong(count)))
      expect(of(20)).toHaveLength(20)
      expect(of(20).join(' ')).not.toContain('more errors')
      expect(of(21)).toEqual([...of(20), 'Invalid data: there are more errors than these 20.'])
      expect(of(50_000)).toEqual(of(21))
    },
  )

  it('is not computed beyond the reported ones', () => {
    let looks = 0
    const item = {
      get a() {
        return ++looks && 'x'
      },
    }
    decodeWith(listOf('an array', t.type({ a: WholeNumber })))(Array(1_000).fill(item))
    expect(looks).toBeLessThan(100)
  })

  it('names a member with an empty name', () => {
    expect(messageFor({ '': 1 }, FlatStrings)).toBe('Invalid data: "" is 1, but must be a string.')
    expect(messageFor({ a: { '': 1 } }, t.type({ a: FlatStrings }))).toBe(
      'Invalid data: a."" is 1, but must be a string.',
    )
    expect(messageFor({ a: { '': 1 } }, objectOf({ a: absentOrObject(FlatStrings) }))).toContain(
      'a."" is 1',
    )
  })
})

describe('an instant', () => {
  it.each<[string, number]>([
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.250Z', Date.UTC(2026, 0, 31, 12, 0, 0, 250)],
    ['2026-01-31T12:00:00+02:00', Date.UTC(2026, 0, 31, 10)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
  ])('is accepted as %s', (input, at) => {
    expect(instantOf(input)).toBe(at)
  })

  it.each([
    ...[
      '',
      'yesterday',
      '2026-01-31T12:00:00',
      '2026-02-30',
      '2026-02-30T12:00:00Z',
      '2026-13-01T00:00:00Z',
    ],
    ...[
      '2026-01-31T25:00:00Z',
      '2026-01-31T12:00:00+99:99',
      '1767614400000',
      1_767_614_400_000,
      null,
      undefined,
    ],
    ...[{}, ['2026-01-31']],
  ])('is rejected as %j', (input) => {
    expect(instantOf(input)).toBeNull()
  })
})
