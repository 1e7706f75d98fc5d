// Diagrams need actions as data: the name, the parameters, and whether the action has an effect outside the order.
import type { AnyStateMachine } from 'xstate'

export type Params = { readonly [param: string]: string }

/** XState represents a joint guard or a resolved action as a function with properties, so functions count as records too. */
const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  (typeof value === 'object' || typeof value === 'function') && value !== null

const paramsOf = (params: unknown): Params =>
  isRecord(params) ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])) : {}

export type NamedAction = {
  readonly name: string
  /** The host runs an `effect`, an `assignment` changes the order, a `raise` sends an event to the other regions. */
  readonly type: 'effect' | 'assignment' | 'raise'
  readonly params: Params
  /** The event that a `raise` sends. */
  readonly event?: string
}

const actionOf = (machine: AnyStateMachine, name: string, params: Params): NamedAction => {
  const implementation: unknown = machine.implementations.actions[name]
  const type = isRecord(implementation) ? implementation.type : undefined
  if (type === 'xstate.assign') return { name, type: 'assignment', params }
  if (type === 'xstate.raise' && isRecord(implementation) && isRecord(implementation.event)) {
    return { name, type: 'raise', params, event: String(implementation.event.type) }
  }
  return { name, type: 'effect', params }
}

// XState arms and disarms timers by actions of its own. The graph shows a timer as a trigger instead.
const isTimerAction = (action: unknown): boolean => isRecord(action) && ('delay' in action || 'sendId' in action)

/**
 * Guards and actions have parameters, which diagrams show as text. XState's definitions are untyped, so they are checked here.
 */
export const actionsOf = (machine: AnyStateMachine, actions: readonly unknown[]): readonly NamedAction[] =>
  actions
    .filter((action) => !isTimerAction(action))
    .map((action) => {
      if (typeof action === 'string') return actionOf(machine, action, {})
      if (isRecord(action) && typeof action !== 'function' && typeof action.type === 'string') {
        return actionOf(machine, action.type, paramsOf(action.params))
      }
      throw new Error('An action without a name cannot be drawn; name it in the setup of the machine.')
    })

/** The text of an action in a state or on an arrow: `tellMerchant denied`. */
export const actionText = ({ name, params }: NamedAction): string => [name, ...Object.values(params)].join(' ')

export type NamedGuard =
  | { readonly type: 'named'; readonly name: string; readonly params: Params }
  /** True while the order is in that state. */
  | { readonly type: 'in'; readonly state: string }
  | { readonly type: 'and' | 'or' | 'not'; readonly of: readonly NamedGuard[] }

const isCombination = (name: unknown): name is 'and' | 'or' | 'not' => name === 'and' || name === 'or' || name === 'not'

/**
 * XState's guards are functions, which no diagram can show. Here a guard is data: name, parameters, and joins of guards.
 * `stateOf` converts the argument of `stateIn`, without its `#`, to the state's id in the graph.
 */
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
