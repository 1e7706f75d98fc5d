// Diagrams need actions as data: the name, the parameters, and whether the action has an effect outside the order.
import type { AnyStateMachine } from 'xstate'
import { isRecord, type Params, paramsOf } from './params.ts'

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
