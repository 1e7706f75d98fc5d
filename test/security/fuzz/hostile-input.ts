// Input from hostile or broken clients: texts, bodies, path segments, queries and headers.
import fc from 'fast-check'

type Json = Readonly<Record<string, unknown>>

const DEEP = 10_000

const nest = (open: string, inner: string, close: string): string =>
  open.repeat(DEEP) + inner + close.repeat(DEEP)

const HOSTILE_TEXTS = [
  '',
  'a\0b',
  '\ud800',
  '\u202egnp.exe',
  '\r\nSet-Cookie: a=b',
  "' OR 1=1; DROP TABLE orders; --",
  '<script>alert(1)</script>',
  'http://169.254.169.254/latest/meta-data',
  '__proto__',
  '1e999',
  '%00%0d%0a',
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary' }),
)

/** JSON in place of a member. Some of it makes the whole body invalid. */
const fragment: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '9007199254740993',
    '1'.repeat(400),
    '[null]',
    '{"__proto__":{"polluted":true}}',
    '0,"__proto__":{"polluted":true}',
    'NaN',
    nest('[', '', ']'),
    nest('{"a":', '1', '}'),
    `"${'a'.repeat(1_000_000)}"`,
  ),
)

const MARK = '@fragment@'

/** `at`: the number of the member that is replaced, or left out. */
const mutate = (value: Json, at: number, replacement: string | undefined): string => {
  let member = -1
  const marked = JSON.stringify(value, (_, each: unknown) => {
    member += 1
    return member === at + 1 ? replacement && MARK : each
  })
  return marked.replace(`"${MARK}"`, () => replacement ?? '')
}

const BROKEN_JSON = ['', 'null', '[]', '{"a":}', '{"a":'.repeat(DEEP), nest('{"order":', '{}', '}')]

/** Bodies around a valid one: mutated, broken, cut off, at the limit or beyond it, and some valid. */
export const jsonBody = (valid: fc.Arbitrary<Json>, limit: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(valid, fc.nat(30), fc.option(fragment, { nil: undefined }))
        .map(([value, at, replacement]) => mutate(value, at, replacement)),
    },
    { weight: 2, arbitrary: valid.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_JSON) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(valid, fc.constantFrom(0, 1))
        .map(([value, over]) => JSON.stringify(value).padEnd(limit + over)),
    },
  )

/** Any text is a form, so none is malformed. */
export const formBody = (
  valid: fc.Arbitrary<Readonly<Record<string, string>>>,
): fc.Arbitrary<string> =>
  fc.oneof(
    fc.tuple(valid, fc.nat(), hostileText).map(([fields, at, text]) => {
      const form = new URLSearchParams(fields)
      const names = [...Object.keys(fields), text]
      form.set(names[at % names.length] ?? '', text)
      return form.toString()
    }),
    valid.map((fields) => new URLSearchParams(fields).toString()),
    fc.constantFrom('', '&&&===', '%ff=%c3%28', '__proto__=1', 'a=1&'.repeat(10_000)),
    hostileText,
  )

/** One segment of a path, as it appears in a URL. It is never empty, `.` or `..`. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '%00',
    '%',
    '%c3%28',
    '%2F',
    '%0d%0aX-Evil:%201',
    '__proto__',
    'ffffffff-ffff-4fff-bfff-ffffffffffff',
    'ffffffff-ffff-4fff-bfff-ffffffffffff%00',
    'a'.repeat(8_000),
  ),
  fc
    .oneof(hostileText, fc.uuid())
    .map((text) => encodeURIComponent(text.toWellFormed()))
    .filter((text) => !['', '.', '..'].includes(text)),
)

export const hostileQuery: fc.Arbitrary<string> = fc.constantFrom(
  '',
  '',
  '?%',
  '?order_ref=%00',
  '?order_ref=a&order_ref=b',
  `?q=${'x'.repeat(8_000)}`,
  '?method=DELETE&_method=PUT',
)

/** Headers that must have no effect, with any value. */
export const hostileHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.constantFrom<
  Readonly<Record<string, string>>
>(
  {},
  {},
  { accept: 'text/html;q=0.9, */*;q=broken' },
  { 'content-encoding': 'gzip' },
  { forwarded: 'for=127.0.0.1;host=evil;proto=gopher' },
  { 'if-match': '"\u00ff"', 'if-none-match': '*' },
  { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'evil.example' },
  { 'x-http-method-override': 'DELETE', 'x-original-url': '/console/orders' },
)
