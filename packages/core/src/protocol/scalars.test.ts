import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import {
  absentOr,
  absentOrObject,
  Currency,
  decodeWith,
  FlatStrings,
  InstantInput,
  InstantInQuery,
  instantText,
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
    ['non-empty text', NonEmptyText, ['a', ' a '], ['', ' ', '\u00a0', null, 0]],
    ['a whole number', WholeNumber, [0, -1, 24, 1e3], [1.5, 2 ** 53, '1', Number.NaN]],
    ['an amount', MinorAmount, [0, -100, 12100], [0.5, '12100']],
    ['an amount over 0', PositiveMinorAmount, [1, 12100], [0, -1, 0.5]],
    ['a currency', Currency, ['EUR', 'USD'], ['eur', 'EU', 'EURO', 'EUR\n', 978]],
    [
      'a URL',
      WebUrl,
      ['http://127.0.0.1:8098/ipn', 'https://a.test/?b=c', 'HTTPS://a.test', 'http://[::1]/'],
      [
        '',
        'a.test',
        '//a.test',
        'ftp://a.test',
        'shttp://a.test',
        'javascript:alert(1)',
        'http://',
        7,
      ],
    ],
    ['flat strings', FlatStrings, [{}, { a: '' }, { a: 'b' }], [[], { a: 1 }, 'a=b', null]],
  ] as const)(
    'of the type %s accepts its values and rejects others',
    (_name, codec, right, wrong) => {
      for (const value of right) expect(codec.decode(value)).toEqual(E.right(value))
      for (const value of wrong)
        expect(E.isLeft((codec as t.Type<unknown>).decode(value))).toBe(true)
    },
  )
})

it.each([
  ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T12:00 01:00', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 12:00:00Z', null],
  ['2026-01-31T12:00 01:00 ', null],
])('in a query, %j is the instant %s', (text, instant) => {
  const decoded = InstantInQuery.decode(text)
  expect(E.isRight(decoded) ? instantText(decoded.right) : null).toBe(instant)
})

const Item = objectOf({ id: NonEmptyText, at: absentOr(objectOf({ url: WebUrl })) })

it.each<readonly [string, t.Mixed, readonly unknown[], readonly unknown[]]>([
  ['absent', absentOr(WholeNumber), [undefined, null, ''], ['5', []]],
  [
    'an empty list, which PHP sends for an object',
    absentOrObject(objectOf({ a: Text })),
    [[], null, undefined, ''],
    [[1], 5],
  ],
])('a value may be %s', (_, codec, nothing, wrong) => {
  for (const value of nothing) expect(codec.decode(value)).toEqual(E.right(null))
  for (const value of wrong)
    expect([codec.is(value), E.isLeft(codec.decode(value))]).toEqual([false, true])
  expect([codec.is(null), codec.is(undefined)]).toEqual([true, true])
})

it('a nullable value is present or null', () => {
  const codec = orNull(objectOf({ a: WholeNumber }))
  for (const value of [null, { a: 1 }])
    expect([codec.is(value), codec.decode(value)]).toEqual([true, E.right(value)])
  for (const value of [undefined, '', 0, {}])
    expect([codec.is(value), E.isLeft(codec.decode(value))]).toEqual([false, true])
})

it('an object keeps unknown members', () => {
  const value = { id: 'a', other: { b: [1] } }
  expect(Item.decode(value)).toMatchObject(E.right(value))
})

it.each<[t.Mixed, unknown, readonly string[]]>([
  [
    Item,
    { at: { url: 'x' } },
    [
      'id is missing, and must be a non-empty string',
      'at.url is "x", but must be an http or https URL without spaces or backslashes',
    ],
  ],
  [Item, [], ['the body is [], but must be an object']],
  [Item, { id: 'a', at: 5 }, ['at is 5, but must be an object, or absent']],
  [absentOrObject(Item), [1], ['the body is [1], but must be an object, or absent']],
  [t.type({ of: orNull(Item) }), { of: { id: 1 } }, ['of.id is 1, but must be a non-empty string']],
  [t.type({ of: orNull(Item) }), {}, ['of is missing, and must be an object, or null']],
  [FlatStrings, { '': 1 }, ['"" is 1, but must be a string']],
  [
    objectOf({ a: absentOrObject(FlatStrings) }),
    { a: { '': 1 } },
    ['a."" is 1, but must be a string'],
  ],
])('%#: each error has one sentence with its path', (codec, value, sentences) => {
  expect(decodeWith(codec)(value)).toEqual(
    E.left(sentences.map((sentence) => `Invalid data: ${sentence}.`)),
  )
})

describe('an error message', () => {
  const nestArrays = (levels: number): unknown => (levels === 0 ? [] : [nestArrays(levels - 1)])

  it.each([
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(76)}...`],
    [nestArrays(200), 'nested too deeply to be shown'],
  ])('shows a value, up to 80 characters of it: %#', (value, shown) => {
    expect(decodeWith(WholeNumber)(value)).toEqual(
      E.left([`Invalid data: the body is ${shown}, but must be a whole number.`]),
    )
  })

  it('does not show what is nested too deeply', () => {
    expect(
      [nestArrays(199), nestArrays(200), null, 'x'].map((value) => isNestedTooDeeply(value)),
    ).toEqual([false, true, false, false])
    expect(isNestedTooDeeply([[1]], 1)).toBe(true)
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
})

describe('an instant', () => {
  it.each<[string, number]>([
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.250Z', Date.UTC(2026, 0, 31, 12, 0, 0, 250)],
    ['2026-01-31T12:00:00+02:00', Date.UTC(2026, 0, 31, 10)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
  ])('is accepted as %s', (input, at) => {
    expect(InstantInput.decode(input)).toEqual(E.right(at))
  })

  it.each([
    ...['', 'yesterday', '2026-01-31T12:00:00', '2026-02-30', '2026-02-30T12:00:00Z'],
    ...['2026-13-01T00:00:00Z', '2026-01-31T25:00:00Z', '2026-01-31T12:00:00+99:99'],
    ...['1767614400000', 1_767_614_400_000, null, ['2026-01-31']],
  ])('is rejected as %j', (input) => {
    expect(E.isLeft(InstantInput.decode(input))).toBe(true)
  })
})
