// Signatures cover the bytes of a form, so these must be fixed: parameters in the given order, encoded as by URLSearchParams.
// Contract §6.

type Parameters = readonly (readonly [name: string, value: string])[]

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded'

// URLSearchParams is provided by the host, but this use of it is a pure function, so the core may use it.
export const encodeForm = (parameters: Parameters): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()

/** Sorts entries by UTF-16 code unit, so that every host writes the same bytes. */
export const sortedParameters = (entries: Readonly<Record<string, string>>): Parameters =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))
