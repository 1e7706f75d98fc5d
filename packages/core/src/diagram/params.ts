// What a guard or an action is given besides its name, as text; and how a definition of XState is looked into safely.

export type Params = { readonly [param: string]: string }

/** XState writes a joint guard or a resolved action as a function with properties, so those count too. */
export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  (typeof value === 'object' || typeof value === 'function') && value !== null

export const paramsOf = (params: unknown): Params =>
  isRecord(params) ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])) : {}
