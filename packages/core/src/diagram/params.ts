// Guards and actions have parameters, which diagrams show as text. XState's definitions are untyped, so they are checked here.

export type Params = { readonly [param: string]: string }

/** XState represents a joint guard or a resolved action as a function with properties, so functions count as records too. */
export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  (typeof value === 'object' || typeof value === 'function') && value !== null

export const paramsOf = (params: unknown): Params =>
  isRecord(params) ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])) : {}
