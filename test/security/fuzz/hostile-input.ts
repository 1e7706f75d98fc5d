// Input from hostile or broken clients: texts, JSON fragments, bodies, path segments and headers.
import fc from 'fast-check'

export type Json = Readonly<Record<string, unknown>>

/**
 * The bytes of a body, or no body. A failing body is printed truncated; its seed and path reproduce
 * it completely.
 */
export class Body {
  readonly bytes: Uint8Array<ArrayBuffer> | null

  constructor(content: string | Uint8Array | null) {
    this.bytes = content === null ? null : new Uint8Array(Buffer.from(content as string))
  }

  /** The text as a server decodes it, without a byte order mark. */
  get text(): string {
    return this.bytes === null ? '' : new TextDecoder().decode(this.bytes)
  }

  [fc.toStringMethod](): string {
    const { text } = this
    const excerpt = text.length > 400 ? `${text.slice(0, 300)}…${text.slice(-60)}` : text
    return this.bytes === null ? 'no body' : `${this.bytes.length} bytes ${JSON.stringify(excerpt)}`
  }
}

const DEEP = 10_000
const LONG = 1_000_000

const nest = (open: string, inner: string, close: string): string =>
  open.repeat(DEEP) + inner + close.repeat(DEEP)

const HOSTILE_TEXTS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\u202egnp.exe',
  '\u200b\u2028\u2029\ufeff',
  'e\u0301'.repeat(50),
  '🙂👨‍👩‍👧‍👦',
  '\r\nSet-Cookie: a=b',
  "' OR 1=1; DROP TABLE orders; --",
  '<script>alert(1)</script>',
  '{{7*7}}#{7*7}<%= 7*7 %>',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:127.0.0.1]:22/',
  'http://user:secret@127.0.0.1/',
  '__proto__',
  'constructor',
  'NaN',
  '1e999',
  '%00%0d%0a',
  '٠١٢٣',
  'i1',
  'confirmed',
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
)

// Raw JSON fragments. Some are invalid and make the whole body invalid.
const HOSTILE_FRAGMENTS = [
  '1.5',
  '1e400',
  '1e-400',
  '9007199254740993',
  '1'.repeat(400),
  '[]',
  '{}',
  '[null]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2,"length":-1,"then":{}}',
  '{"url":"http://127.0.0.1:9/e","parameters":{"__proto__":"p","a":"b"}}',
  '"\\ud800"',
  '"\\u0000"',
  '0,"order":null',
  '0,"__proto__":{"polluted":true}',
  'NaN',
  '01',
  '"\\x41"',
]

const fragment: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...HOSTILE_FRAGMENTS) },
  { weight: 20, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 8, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 6, arbitrary: fc.double().map(String) },
  { weight: 4, arbitrary: fc.maxSafeInteger().map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      nest('[', '', ']'),
      nest('{"a":', '1', '}'),
      nest('[{"order":', '0', '}]'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `"${'a'.repeat(LONG)}"`,
      `"${'\\u0000'.repeat(LONG / 10)}"`,
      `[${'0,'.repeat(LONG / 8)}0]`,
    ),
  },
)

type Mutation = {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add'
  readonly name: string
  readonly fragment: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'),
  name: fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toJSON', '', 'id', 'url', 'state'),
    hostileText,
  ),
  fragment,
})

type Container = Record<string, unknown> | unknown[]
type Spot = { readonly within: Container; readonly key: string }

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null

const spotsIn = (within: Container): readonly Spot[] =>
  Object.entries(within).flatMap(([key, value]) => [
    { within, key },
    ...(isContainer(value) ? spotsIn(value) : []),
  ])

const setMember = (within: Container, key: string, value: unknown): void => {
  Object.defineProperty(within, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** The value as JSON text, changed in some places. A fragment may be invalid JSON. */
const applyMutations = (value: Json, mutations: readonly Mutation[]): string => {
  const copy = { it: structuredClone(value) as unknown }
  const mark = (index: number): string => `@fragment-${index}@`
  for (const [index, { at, how, name }] of mutations.entries()) {
    const spots = spotsIn(copy)
    const spot = spots[at % spots.length]
    if (spot === undefined) continue
    const { within, key } = spot
    const there = (within as Record<string, unknown>)[key]
    if (how === 'remove' && !Array.isArray(within)) delete within[key]
    else if (how === 'add' && isContainer(there) && !Array.isArray(there))
      setMember(there, name, mark(index))
    else setMember(within, key, mark(index))
  }
  const json = JSON.stringify(copy.it) ?? ''
  return mutations.reduce(
    (text, each, index) => text.replace(`"${mark(index)}"`, () => each.fragment),
    json,
  )
}

const BROKEN_JSON = [
  '',
  ' ',
  'null',
  '0',
  '[]',
  '{',
  '{"a":}',
  "{'a':1}",
  '{}{}',
  '\ufeff{}',
  '\0',
  '<?xml version="1.0"?><order/>',
  '--x\r\nContent-Disposition: form-data; name="order"\r\n\r\n1\r\n--x--',
  '['.repeat(DEEP),
  '{"a":'.repeat(DEEP),
  nest('[', '', ']'),
  nest('{"order":', '{}', '}'),
]

// White space does not change the content: the body only grows to this number of bytes.
const padText = (text: string, size: number): string =>
  text + ' '.repeat(Math.max(0, size - Buffer.byteLength(text)))

/**
 * JSON bodies around a valid one: mutated, broken, truncated, too large, not UTF-8, and some left
 * valid.
 */
export const jsonBody = (valid: fc.Arbitrary<Json>, limit: number): fc.Arbitrary<Body> =>
  fc
    .oneof<fc.MaybeWeightedArbitrary<string | Uint8Array | null>[]>(
      {
        weight: 60,
        arbitrary: fc
          .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3, size: 'max' }))
          .map(([value, mutations]) => applyMutations(value, mutations)),
      },
      { weight: 12, arbitrary: valid.map((value) => JSON.stringify(value)) },
      { weight: 8, arbitrary: fc.json() },
      { weight: 8, arbitrary: fc.constantFrom(...BROKEN_JSON) },
      {
        weight: 6,
        arbitrary: fc
          .tuple(valid, fc.double({ min: 0, max: 1, noNaN: true }))
          .map(([value, part]) => JSON.stringify(value).slice(0, Math.floor(part * 400))),
      },
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.uint8Array() },
      {
        weight: 2,
        arbitrary: valid.map((value) =>
          Buffer.from(
            JSON.stringify(value).replace(/[A-Za-z]{3}/g, '\u00c3\u0028\u00ff'),
            'latin1',
          ),
        ),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(valid, fc.constantFrom(-1, 0, 1, 4096))
          .map(([value, over]) => padText(JSON.stringify(value), limit + over)),
      },
    )
    .map((content) => new Body(content))

export type Fields = Readonly<Record<string, string>>

/** Forms made from a valid one. Any bytes are a valid form, so none is malformed. */
export const formBody = (valid: fc.Arbitrary<Fields>, limit: number): fc.Arbitrary<Body> =>
  fc
    .oneof<fc.MaybeWeightedArbitrary<string | Uint8Array | null>[]>(
      {
        weight: 50,
        arbitrary: fc
          .tuple(
            valid,
            fc.nat(),
            hostileText,
            fc.constantFrom('replace', 'remove', 'repeat', 'add'),
          )
          .map(([fields, at, text, how]) => {
            const form = new URLSearchParams(fields)
            const name = Object.keys(fields)[at % Object.keys(fields).length] ?? ''
            if (how === 'replace') form.set(name, text)
            if (how === 'remove') form.delete(name)
            if (how === 'repeat') form.append(name, text)
            if (how === 'add') form.append(text, text)
            return form.toString()
          }),
      },
      { weight: 12, arbitrary: valid.map((fields) => new URLSearchParams(fields).toString()) },
      {
        weight: 10,
        arbitrary: fc.constantFrom(
          '',
          '&&&===',
          '%',
          '%ff=%c3%28',
          'status[]=VERIFIED',
          '__proto__=1&constructor=2',
          '{"status":"VERIFIED"}',
          `status=${'a'.repeat(LONG)}`,
          'a=1&'.repeat(10_000),
        ),
      },
      { weight: 4, arbitrary: hostileText },
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: fc.uint8Array() },
      {
        weight: 1,
        arbitrary: fc.constantFrom(-1, 0, 1).map((over) => `a=${'b'.repeat(limit - 2 + over)}`),
      },
    )
    .map((content) => new Body(content))

const HOSTILE_SEGMENTS = [
  '%00',
  '%',
  '%ff',
  '%c3%28',
  '%2F',
  '%252e%252e%252f',
  '%0d%0aX-Evil:%201',
  "'%20OR%201=1--",
  '%F0%9F%99%82',
  'null',
  '__proto__',
  'constructor',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  'ffffffff-ffff-4fff-bfff-ffffffffffff%00',
  '{ffffffff-ffff-4fff-bfff-ffffffffffff}',
  ':uuid',
  ';a=b',
  '[object%20Object]',
  '-1',
  'a'.repeat(8_000),
  '%61'.repeat(2_000),
]

/** One segment of a path, as it appears in a URL. It is never empty, `.` or `..`. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_SEGMENTS) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(hostileText, fc.uuid())
      .map((text) => encodeURIComponent(text.toWellFormed()))
      .filter((text) => !['', '.', '..'].includes(text)),
  },
)

export const hostileQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '?',
      '?%',
      '?a=%ff&b',
      '?order_ref=%00',
      "?order_ref=' OR 1=1--",
      '?order_ref=a&order_ref=b',
      '?__proto__[x]=1&constructor=2',
      `?q=${'x'.repeat(8_000)}`,
      `?${'a&'.repeat(2_000)}`,
      '??&&==',
      '?method=DELETE&_method=PUT',
      '#fragment',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string()
      .map((text) => `?${encodeURIComponent(text)}=${encodeURIComponent(text)}`),
  },
)

const headerValue: fc.Arbitrary<string> = fc
  .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes))

/** Headers that must have no effect, with any value. */
export const hostileHeaders: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.array(
  fc.oneof(
    fc.constantFrom<readonly [string, string]>(
      ['accept', '*/*'],
      ['accept', 'text/html;q=0.9, */*;q=broken'],
      ['accept', ''],
      ['accept-language', 'xx-YY-, ;q=, *'],
      ['access-control-request-headers', 'x-\u00ff, authorization'],
      ['cookie', 'a=b; __proto__=c; '.repeat(200)],
      ['content-encoding', 'gzip'],
      ['forwarded', 'for=127.0.0.1;host=evil;proto=gopher'],
      ['if-match', '"\u00ff"'],
      ['if-none-match', '*'],
      ['range', 'bytes=-1,5-2,0-0'],
      ['x-forwarded-for', '127.0.0.1'],
      ['x-forwarded-host', 'evil.example'],
      ['x-http-method-override', 'DELETE'],
      ['x-original-url', '/console/orders'],
      ['x-service-signature', 'f'.repeat(64)],
      ['x-long', 'a'.repeat(10_000)],
      ['__proto__', 'polluted'],
    ),
    fc.tuple(fc.stringMatching(/^x-[a-z0-9-]{1,20}$/), headerValue),
  ),
  { maxLength: 3 },
)

const WORDS = [
  'api',
  'v1',
  'checkout',
  'orders',
  'merchants',
  'console',
  'sandbox',
  'pay',
  'verify',
  'demo',
  'wait',
]

/** Paths of no route, or similar to a route's, as they appear in a URL. */
export const hostilePath: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom(...WORDS, '', '.', '..', '%2e%2e', '\\', 'demo', '*'),
        hostileSegment,
      ),
      {
        maxLength: 7,
      },
    ),
    hostileQuery,
  )
  .map(([segments, query]) => `/${segments.join('/')}${query}`)
