// The small types that several codecs share. A codec's name is what an error message says is wanted.
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

/** A codec that accepts the values for which `is` holds, unchanged; `wanted` completes "must be …". */
export const refined = <A>(wanted: string, is: (value: unknown) => value is A): t.Type<A> =>
  new t.Type<A>(wanted, is, (value, context) => (is(value) ? t.success(value) : t.failure(value, context)), t.identity)

export const Text = refined('a string', (value): value is string => typeof value === 'string')

export const NonEmptyText = refined(
  'a non-empty string',
  (value): value is string => typeof value === 'string' && value.trim() !== '',
)

export const WholeNumber = refined('a whole number', (value): value is number => Number.isSafeInteger(value))

/** Minor currency units, as `12100` for 121.00 EUR. Every integer JSON can carry exactly. */
export const MinorAmount = refined('a whole number of minor units', (value): value is number =>
  Number.isSafeInteger(value),
)

export const PositiveMinorAmount = refined(
  'a whole number of minor units over 0',
  (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
)

export const Currency = refined(
  'a currency code of three capital letters',
  (value): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
)

const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

export const WebUrl = refined('an http or https URL', isWebUrl)

export const FlatStrings: t.Type<Readonly<Record<string, string>>> = t.record(t.string, Text, 'an object of strings')

/** An object with members that must be there and members that may; whatever else it holds is left alone. */
export const objectOf = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.Type<t.TypeOfProps<R> & t.TypeOfPartialProps<O>> => {
  const both = t.intersection([t.type(required), t.partial(optional)])
  return new t.Type(
    'an object',
    both.is,
    // An intersection puts its own index into the path of what is wrong, which means nothing to a reader.
    (value, context) =>
      E.mapLeft((errors: t.Errors) =>
        errors.map((error) => ({ ...error, context: [...context, ...error.context.slice(1)] })),
      )(both.validate(value, [])),
    t.identity,
  )
}

/** Absent, `null` and the empty string are one: nothing was given. */
export const absentOr = <A>(codec: t.Type<A>): t.Type<A | null, A | null, unknown> =>
  new t.Type<A | null, A | null, unknown>(
    `${codec.name}, or absent`,
    (value): value is A | null => value === null || codec.is(value),
    (value, context) =>
      value === undefined || value === null || value === '' ? t.success(null) : codec.validate(value, context),
    t.identity,
  )

/** The same for an object: PHP shops write one without members as an empty list. */
export const absentOrObject = <A>(codec: t.Type<A>): t.Type<A | null, A | null, unknown> => {
  const orAbsent = absentOr(codec)
  return new t.Type<A | null, A | null, unknown>(
    orAbsent.name,
    orAbsent.is,
    (value, context) =>
      Array.isArray(value) && value.length === 0 ? t.success(null) : orAbsent.validate(value, context),
    t.identity,
  )
}

const DEEPEST = 200

/** Deeper than anything a shop means. To be asked before what recurses: a client nests as deep as his bytes allow. */
export const isNestedTooDeeply = (value: unknown, levels = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isNestedTooDeeply(member, levels - 1)))

const shown = (value: unknown): string => {
  if (isNestedTooDeeply(value)) return 'nested too deeply to be shown'
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${json.slice(0, 77)}...` : json
}

/** One sentence for each thing wrong: where it stands, what was given and what is wanted. */
export const sentences = (errors: t.Errors): readonly string[] => [
  ...new Set(
    errors.map(({ value, context }) => {
      const keys = context.map(({ key }) => key).filter((key) => key !== '')
      const path = keys.length === 0 ? 'the body' : keys.join('.')
      const wanted = context[context.length - 1]?.type.name ?? 'something else'
      return value === undefined
        ? `Invalid data: ${path} is missing, and must be ${wanted}.`
        : `Invalid data: ${path} is ${shown(value)}, but must be ${wanted}.`
    }),
  ),
]

/** Decodes, with sentences for what is wrong. */
export const decodeWith =
  <A>(codec: t.Decoder<unknown, A>) =>
  (value: unknown): E.Either<readonly string[], A> =>
    E.mapLeft(sentences)(codec.decode(value))
