// What is said of a route beside it: who calls it, with what, and every answer it gives. The document is made of these.
import type { WireNames } from '@plazo/core'
import type * as t from 'io-ts'

/** What names and addresses are on this server. */
export type Setting = {
  readonly names: WireNames
  readonly baseUrl: string
  /** Whether the demo merchant is there, whose credentials everybody may know. */
  readonly isSandbox: boolean
}

/** A shop as the examples have one: in a sandbox the demo merchant's own. */
export const shopOf = ({ baseUrl, isSandbox }: Setting): string =>
  isSandbox ? `${baseUrl}/demo` : 'https://shop.example'

export type Caller = 'frontend' | 'merchant' | 'operator' | 'provider' | 'sandbox' | 'service'

export type Examples = Readonly<Record<string, unknown>>

export type Content = {
  readonly mediaType: string
  /** More than one: either of them. None: it is no JSON. */
  readonly codecs: readonly t.Mixed[]
  readonly examples: Examples
}

export type Answer = {
  readonly tells: string
  readonly contents: readonly Content[]
  readonly headers: Readonly<Record<string, string>>
}

export type Parameter = {
  readonly in: 'query' | 'header'
  readonly tells: string
  readonly codec: t.Mixed
  readonly isRequired?: true
  /** Stands in the sample as a variable of this name. */
  readonly variable?: string
  readonly example?: string
}

export type Operation = {
  readonly id: string
  readonly caller: Caller
  readonly title: string
  readonly tells?: string
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly body?: { readonly contents: readonly Content[]; readonly kibMax: number }
  readonly answers: Readonly<Record<number, Answer>>
  /** What it refuses as a problem, beside what every route of its kind refuses. */
  readonly problems?: Readonly<Record<number, string>>
  /** So many a minute in production. */
  readonly isLimited?: true
  /** False where a sample would need what a line of curl cannot give. */
  readonly isSampled?: false
  /** The variable that later samples need, taken from the end of the header Location. */
  readonly keepsLocation?: string
}

/** By method and path, as the app's own table of routes writes them. */
export type Operations = Readonly<Record<string, Operation>>

export const json = <C extends t.Mixed>(codec: C, examples: Readonly<Record<string, t.OutputOf<C>>> = {}): Content => ({
  mediaType: 'application/json',
  codecs: [codec],
  examples,
})

export const form = (codec: t.Mixed, examples: Examples = {}): Content => ({
  mediaType: 'application/x-www-form-urlencoded',
  codecs: [codec],
  examples,
})

export const text = (mediaType: string): Content => ({ mediaType, codecs: [], examples: {} })
export const HTML = text('text/html')

export const answer = (
  tells: string,
  contents: Content | readonly Content[] = [],
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ tells, contents: [contents].flat(), headers })

export const NO_ORDER = 'There is no such order.'
