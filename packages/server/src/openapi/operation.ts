// Each route is described next to its code: who calls it, with what, and every answer it gives. The OpenAPI document is built
// from these descriptions.
import type { WireNames } from '@plazo/core'
import type * as t from 'io-ts'

/** The names and addresses of this server. */
export type Setting = {
  readonly names: WireNames
  readonly baseUrl: string
  /** True: the demo merchant exists, whose credentials everybody may know. */
  readonly isSandbox: boolean
}

/** The shop in the examples; in a sandbox, the demo merchant's own. */
export const shopOf = ({ baseUrl, isSandbox }: Setting): string =>
  isSandbox ? `${baseUrl}/demo` : 'https://shop.example'

export type Caller = 'frontend' | 'merchant' | 'operator' | 'provider' | 'sandbox' | 'service'

export type Examples = Readonly<Record<string, unknown>>

export type Content = {
  readonly mediaType: string
  /** Several: the body is any one of them. None: it is not JSON. */
  readonly codecs: readonly t.Mixed[]
  readonly examples: Examples
}

export type Answer = {
  readonly description: string
  readonly contents: readonly Content[]
  readonly headers: Readonly<Record<string, string>>
}

export type Parameter = {
  readonly in: 'query' | 'header'
  readonly description: string
  readonly codec: t.Mixed
  readonly isRequired?: true
  /** The sample uses a variable of this name. */
  readonly variable?: string
  readonly example?: string
}

export type Operation = {
  readonly id: string
  readonly caller: Caller
  readonly title: string
  readonly description?: string
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly body?: { readonly contents: readonly Content[]; readonly kibMax: number }
  readonly answers: Readonly<Record<number, Answer>>
  /** Problems that it answers in addition to those of every route of its kind. */
  readonly problems?: Readonly<Record<number, string>>
  /** True: the rate is limited in production. */
  readonly isLimited?: true
  /** False: a sample would need something that a line of curl cannot give. */
  readonly isSampled?: false
  /** The variable that later samples need, set from the end of the Location header. */
  readonly keepsLocation?: string
}

/** By method and path, as in the app's own table of routes. */
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
  description: string,
  contents: Content | readonly Content[] = [],
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ description, contents: [contents].flat(), headers })

export const NO_ORDER = 'Order not found.'
