// An action as data: its name, what it is given, and whether it reaches outside or only changes what is remembered.
import type { AnyStateMachine } from 'xstate'
import { isRecord, type Params, paramsOf } from './params.ts'

export type NamedAction = {
  readonly name: string
  /** An `effect` is carried out by the host, an `assignment` changes the order, a `raise` tells the other regions. */
  readonly type: 'effect' | 'assignment' | 'raise'
  readonly params: Params
  /** The event a `raise` tells. */
  readonly event?: string
}

const named = (machine: AnyStateMachine, name: string, params: Params): NamedAction => {
  const implementation: unknown = machine.implementations.actions[name]
  const type = isRecord(implementation) ? implementation.type : undefined
  if (type === 'xstate.assign') return { name, type: 'assignment', params }
  if (type === 'xstate.raise' && isRecord(implementation) && isRecord(implementation.event)) {
    return { name, type: 'raise', params, event: String(implementation.event.type) }
  }
  return { name, type: 'effect', params }
}

// XState arms and disarms a timer by actions of its own; the graph shows the timer as a trigger instead.
const isOfTimer = (action: unknown): boolean => isRecord(action) && ('delay' in action || 'sendId' in action)

export const actionsOf = (machine: AnyStateMachine, actions: readonly unknown[]): readonly NamedAction[] =>
  actions
    .filter((action) => !isOfTimer(action))
    .map((action) => {
      if (typeof action === 'string') return named(machine, action, {})
      if (isRecord(action) && typeof action !== 'function' && typeof action.type === 'string') {
        return named(machine, action.type, paramsOf(action.params))
      }
      throw new Error('An action without a name cannot be drawn; name it in the setup of the machine.')
    })

/** As it stands in a state or on an arrow: `tellMerchant denied`. */
export const actionText = ({ name, params }: NamedAction): string => [name, ...Object.values(params)].join(' ')
