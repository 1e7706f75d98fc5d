// Small codecs that several others share. A codec's name appears in error messages as the expected
// value.
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  annotate,
  type JsonSchema,
  objectSchema,
  type SchemaOf,
  schemaName,
} from './json-schema.ts'
import { NON_EMPTY } from './person-fields.ts'
import { cutText } from './text-as-seen.ts'

/** A codec that io-ts cannot build from others, with its schema. */
const codecOf = <A>(
  expected: string,
  is: (value: unknown) => value is A,
  validate: t.Validate<unknown, A>,
  schema: (schemaOf: SchemaOf) => JsonSchema,
): t.Type<A> => annotate(new t.Type<A>(expected, is, validate, t.identity), { schema })

/**
 * A codec that accepts the values for which `is` holds, unchanged. `expected` completes "must be
 * …". `schema` is the same rule as JSON Schema, as far as possible: it never rejects a value that
 * `is` accepts.
 */
export const refined = <A>(
  expected: string,
  schema: JsonSchema,
  is: (value: unknown) => value is A,
): t.Type<A> =>
  codecOf(
    expected,
    is,
    (value, context) => (is(value) ? t.success(value) : t.failure(value, context)),
    () => (Object.keys(schema).length > 1 ? { ...schema, description: expected } : schema),
  )

/**
 * A string that matches `form`, which has the flag `u`. `holds`: the exact rule, if `form` cannot
 * express all of it; it then accepts more.
 */
export const textOf = (
  expected: string,
  form: RegExp,
  holds: (value: string) => boolean = (value) => form.test(value),
): t.Type<string> =>
  refined(
    expected,
    { type: 'string', pattern: form.source },
    (value): value is string => typeof value === 'string' && holds(value),
  )

/** Any string. */
export const Text = refined('a string', { type: 'string' }, t.string.is)

/** Texts of our own. */
export const Texts = t.readonlyArray(t.string)

/** A string with at least one character that is not white space. */
export const NonEmptyText = textOf(...NON_EMPTY)

/** One of these words. Its name in an error message lists them. */
export const oneOf = <Word extends string>(
  ...words: readonly Word[]
): t.KeyofC<Record<Word, null>> =>
  // `fromEntries` does not know the names.
  t.keyof(
    Object.fromEntries(words.map((word) => [word, null])) as Record<Word, null>,
    `one of ${words.join(', ')}`,
  )

/** A whole number between two limits, both included. */
export const wholeNumber = (
  minimum: number,
  maximum: number,
  expected = `a whole number from ${minimum} to ${maximum}`,
): t.Type<number> =>
  refined(
    expected,
    { type: 'integer', minimum, maximum },
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  )

const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number

export const WholeNumber = wholeNumber(MIN_SAFE_INTEGER, MAX_SAFE_INTEGER, 'a whole number')

/** A whole number from 0. */
export const Count = wholeNumber(0, MAX_SAFE_INTEGER, 'a whole number, 0 or more')

/** Minor currency units, such as `12100` for 121.00 EUR: integers that JSON carries exactly. */
export const MinorAmount = wholeNumber(
  MIN_SAFE_INTEGER,
  MAX_SAFE_INTEGER,
  'a whole number of minor units',
)

/** An amount over 0, in minor units. */
export const PositiveMinorAmount = wholeNumber(
  1,
  MAX_SAFE_INTEGER,
  'a whole number of minor units over 0',
)

export const Currency = textOf('a currency code of three capital letters', /^[A-Z]{3}$/u)

const WEB_URL = /^[Hh][Tt][Tt][Pp][Ss]?:[^\s\\]*$/u

/**
 * An absolute address that begins with http or https. A parser removes or replaces spaces and
 * backslashes, and would call another address than the one that is written.
 */
export const WebUrl = textOf(
  'an http or https URL without spaces or backslashes',
  WEB_URL,
  (value) => WEB_URL.test(value) && URL.canParse(value),
)

/**
 * An instant on the wire is ISO 8601. The service always writes it in UTC, such as
 * 2026-01-31T12:00:00.000Z. Contract §3.
 */
export const Instant = annotate(t.string, {
  schema: () => ({ type: 'string', format: 'date-time' }),
})

const DAY_AND_TIME =
  '^(\\d{4}-\\d{2}-\\d{2})(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+\\-]\\d{2}:\\d{2}))?$'
const ISO = new RegExp(DAY_AND_TIME)

const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** Reads a day (in UTC) or an instant with its zone to epoch milliseconds. Null: it is neither. */
export const instantOf = (value: unknown): number | null => {
  if (typeof value !== 'string' || !ISO.test(value) || !isDay(value.slice(0, 10))) return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : at
}

/** An instant, in epoch milliseconds, as the service writes it. */
export const instantText = (at: number): string => new Date(at).toISOString()

/** The name of the codec `InstantInput`, which error messages show as the expected value. */
export const INSTANT_FORMAT = 'an instant like 2026-01-31T12:00:00Z'

const instantCodec = (read: (value: unknown) => number | null) =>
  codecOf(
    INSTANT_FORMAT,
    t.number.is,
    (value, context) => {
      const at = read(value)
      return at === null ? t.failure(value, context) : t.success(at)
    },
    () => ({ type: 'string', pattern: DAY_AND_TIME, description: INSTANT_FORMAT }),
  )

/** An instant as people write it, decoded to epoch milliseconds. */
export const InstantInput = instantCodec(instantOf)

/** An instant in a query, where the `+` of an offset arrives as a space if it is not encoded. */
export const InstantInQuery = instantCodec((value) =>
  instantOf(String(value).replace(/ (?=\d\d:\d\d$)/, '+')),
)

/** The maximum number of sentences about the errors of one body. */
const SENTENCES_MAX = 20

/**
 * A list or a record of items, which are checked and not transformed. `entriesOf`: null for anything
 * else. Stops after one error more than is reported: a client may send half a million wrong items,
 * and each error allocates memory. `is` is five times as fast as recording paths, so it runs first.
 */
export const containerOf = <C>(
  expected: string,
  itemAt: (key: string | number) => t.Mixed | t.NeverC,
  entriesOf: (value: unknown) => Iterable<readonly [key: string | number, value: unknown]> | null,
  schema: (schemaOf: SchemaOf) => JsonSchema = () => ({}),
): t.Type<C> => {
  const validate: t.Validate<unknown, C> = (value, context) => {
    const entries = entriesOf(value)
    if (entries === null) return t.failure(value, context)
    const errors: t.ValidationError[] = []
    for (const [key, member] of entries) {
      const item = itemAt(key)
      if (item.is(member)) continue
      const result = item.validate(member, t.appendContext(context, String(key), item, member))
      if (E.isLeft(result)) errors.push(...result.left)
      if (errors.length > SENTENCES_MAX) break
    }
    // All items are of the type.
    return errors.length > 0 ? t.failures(errors) : t.success(value as C)
  }
  return codecOf(expected, (value): value is C => E.isRight(validate(value, [])), validate, schema)
}

/** A list of items. */
export const listOf = <A>(expected: string, item: t.Type<A>): t.Type<readonly A[]> =>
  containerOf(
    expected,
    () => item,
    (value) => (Array.isArray(value) ? value.entries() : null),
    (schemaOf) => ({ type: 'array', items: schemaOf(item) }),
  )

export type JsonObject = Readonly<Record<string, unknown>>

/** True for an object that is neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; null for anything else. */
export const membersOf = (value: unknown): readonly (readonly [string, unknown])[] | null =>
  isJsonObject(value) ? Object.entries(value) : null

/** An object whose values are all strings. */
export const FlatStrings: t.Type<Readonly<Record<string, string>>> = containerOf(
  'an object of strings',
  () => Text,
  membersOf,
  (schemaOf) => ({ type: 'object', additionalProperties: schemaOf(Text) }),
)

type Members<P extends t.Props> = {
  [name in keyof P as undefined extends t.TypeOf<P[name]> ? never : name]: t.TypeOf<P[name]>
} & {
  [name in keyof P as undefined extends t.TypeOf<P[name]> ? name : never]?: t.TypeOf<P[name]>
}

/**
 * An object with these members. A member whose codec accepts `undefined`, such as `absentOr` or
 * `optional`, may be absent. Other members are ignored.
 */
export const objectOf = <P extends t.Props>(members: P): t.Type<Members<P>> => {
  const entries = Object.entries(members)
  return codecOf<Members<P>>(
    'an object',
    (value): value is Members<P> =>
      t.UnknownRecord.is(value) && entries.every(([name, member]) => member.is(value[name])),
    // The same type. TypeScript cannot see it for an unknown `P`.
    t.type(members).validate as unknown as t.Validate<unknown, Members<P>>,
    (schemaOf) =>
      objectSchema(
        Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)])),
        entries.flatMap(([name, member]) => (member.is(undefined) ? [] : [name])),
      ),
  )
}

/** An object with exactly these members, in a form that we write ourselves. */
export const exactObject = <P extends t.Props>(members: P) => t.readonly(t.strict(members))

/** An object with exactly these members, which has a name in the API document. */
export const namedObject = <P extends t.Props>(name: string, members: P) =>
  schemaName(name, exactObject(members))

/**
 * A codec that also accepts what `isNothing` holds for, and decodes it to `nothing`. Errors keep the
 * path of the value; a union would add its own index. `schemas`: those of nothing on the wire.
 */
const orNothing = <A, Nothing extends null | undefined>(
  name: string,
  codec: t.Type<A>,
  nothing: Nothing,
  isNothing: (value: unknown) => boolean,
  schemas: readonly JsonSchema[],
): t.Type<A | Nothing> =>
  codecOf(
    name,
    (value): value is A | Nothing => value === nothing || codec.is(value),
    (value, context) => (isNothing(value) ? t.success(nothing) : codec.validate(value, context)),
    (schemaOf) =>
      schemas.length === 0 ? schemaOf(codec) : { anyOf: [schemaOf(codec), ...schemas] },
  )

/** A member of an object that may be absent, but must not be null or empty then. */
export const optional = <A>(codec: t.Type<A>): t.Type<A | undefined> =>
  orNothing(codec.name, codec, undefined, (value) => value === undefined, [])

const NULL = { type: 'null' }

/** Accepts null too, and describes both in the schema. */
export const orNull = <A>(codec: t.Type<A>): t.Type<A | null> =>
  orNothing(`${codec.name}, or null`, codec, null, (value) => value === null, [NULL])

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''
const ABSENT: readonly JsonSchema[] = [NULL, { type: 'string', const: '' }]

/** Absent, `null` and the empty string all decode to null: nothing was given. */
export const absentOr = <A>(
  codec: t.Type<A>,
  isNothing = isAbsent,
  schemas = ABSENT,
): t.Type<A | null | undefined> =>
  orNothing(`${codec.name}, or absent`, optional(codec), null, isNothing, schemas)

/**
 * An object that may be absent. PHP shops write an object without members as an empty list, so that
 * also decodes to null.
 */
export const absentOrObject = <A>(codec: t.Type<A>): t.Type<A | null | undefined> =>
  absentOr(codec, (value) => isAbsent(value) || (Array.isArray(value) && value.length === 0), [
    ...ABSENT,
    { type: 'array', maxItems: 0 },
  ])

/**
 * True if a value is nested deeper than any real body. Check this before recursing over the value:
 * a client can nest as deeply as the size limit allows.
 */
export const isNestedTooDeeply = (value: unknown, levels = 200): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const members = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isNestedTooDeeply(member, levels - 1))
}

const showValue = (value: unknown): string => {
  if (isNestedTooDeeply(value)) return 'nested too deeply to be shown'
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${cutText(json, 77)}...` : json
}

const describeError = ({ value, context }: t.ValidationError): string => {
  // The first entry is the body itself. A member's name may be an empty string.
  const keys = context.slice(1).map(({ key }) => key || '""')
  const path = keys.length === 0 ? 'the body' : keys.join('.')
  const expected = context[context.length - 1]?.type.name ?? 'something else'
  return value === undefined
    ? `Invalid data: ${path} is missing, and must be ${expected}.`
    : `Invalid data: ${path} is ${showValue(value)}, but must be ${expected}.`
}

/**
 * One sentence for each error: where it is, the value given and the value expected. If there are
 * too many, only the first.
 */
const describeErrors = (errors: t.Errors): readonly string[] => {
  const sentences = [...new Set(errors.map(describeError))]
  return sentences.length <= SENTENCES_MAX
    ? sentences
    : [
        ...sentences.slice(0, SENTENCES_MAX),
        `Invalid data: there are more errors than these ${SENTENCES_MAX}.`,
      ]
}

/** A value, or one sentence for each error. */
export type Decoded<A> = E.Either<readonly string[], A>

/** Reads a body. */
export type Decode<A> = (body: unknown) => Decoded<A>

export const decodeWith =
  <A>(codec: t.Decoder<unknown, A>): Decode<A> =>
  (value) =>
    E.mapLeft(describeErrors)(codec.decode(value))

/** A name on the wire: `underEvaluation` as `under_evaluation`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
