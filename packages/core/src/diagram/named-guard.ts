// XState's guards are functions, which no diagram can show. Here a guard is data: name, parameters, and joins of guards.
import { isRecord, type Params, paramsOf } from './params.ts'

export type NamedGuard =
  | { readonly type: 'named'; readonly name: string; readonly params: Params }
  /** True while the order is in that state. */
  | { readonly type: 'in'; readonly state: string }
  | { readonly type: 'and' | 'or' | 'not'; readonly of: readonly NamedGuard[] }

const isCombination = (name: unknown): name is 'and' | 'or' | 'not' => name === 'and' || name === 'or' || name === 'not'

/** `decodeState` converts the argument of `stateIn`, without its `#`, to the state's id in the graph. */
export const guardOf = (guard: unknown, stateOf: (id: string) => string): NamedGuard => {
  if (typeof guard === 'string') return { type: 'named', name: guard, params: {} }
  if (isRecord(guard)) {
    if (typeof guard.type === 'string') return { type: 'named', name: guard.type, params: paramsOf(guard.params) }
    if (typeof guard.stateValue === 'string') return { type: 'in', state: stateOf(guard.stateValue.replace(/^#/, '')) }
    if (isCombination(guard.name) && Array.isArray(guard.guards)) {
      return { type: guard.name, of: guard.guards.map((one) => guardOf(one, stateOf)) }
    }
  }
  throw new Error('A guard without a name cannot be drawn; name it in the setup of the machine.')
}

const lastOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1)

/** The text between brackets on an arrow: `outcomeIs approved`, `in confirming and merchantConfirmed`. */
export const guardText = (guard: NamedGuard): string => {
  switch (guard.type) {
    case 'named':
      return [guard.name, ...Object.values(guard.params)].join(' ')
    case 'in':
      return `in ${lastOf(guard.state)}`
    case 'not':
      return `not (${guard.of.map(guardText).join(' ')})`
    case 'and':
    case 'or':
      return guard.of.map((one) => (one.type === 'or' ? `(${guardText(one)})` : guardText(one))).join(` ${guard.type} `)
  }
}
