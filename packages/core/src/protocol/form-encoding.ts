// `application/x-www-form-urlencoded` as URLSearchParams writes it, in exactly the order given. Contract §6.

type Parameters = readonly (readonly [name: string, value: string])[]

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded'

// URLSearchParams itself is a host object; as a pure function of its input it belongs here all the same.
export const formEncoded = (parameters: Parameters): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()

/** Entries sorted by code unit, so that every host writes the same bytes. */
export const sorted = (entries: Readonly<Record<string, string>>): Parameters =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))
