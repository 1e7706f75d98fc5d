// The state of one step in progress. Actions and guards are compiled to functions of it.
import type { AnyStateMachine, AnyStateNode, EventObject, MachineContext, StateValue } from 'xstate'

/** The parts of an XState machine that the compiler reads. Some machines are no `AnyStateMachine` for TypeScript. */
export type Machine = Pick<AnyStateMachine, 'id' | 'root' | 'options' | 'implementations' | 'getStateNodeById'>

/**
 * An effect for the host: a named action, or XState's own `xstate.raise` with `{ event, id, delay }` for a timer and
 * `xstate.cancel` with `{ sendId }`. A raise without delay is not listed: the step has already handled its event.
 */
export type MachineAction = { readonly type: string; readonly params: Readonly<Record<string, unknown>> }

const missing = (name: string): never => {
  throw new Error(`A function of the machine reads "${name}", but a compiled machine has no actors.`)
}

/** The argument of all functions of the machine. */
export class Scope {
  readonly context: MachineContext
  readonly event: EventObject

  constructor(context: MachineContext, event: EventObject) {
    this.context = context
    this.event = event
  }

  get self(): never {
    return missing('self')
  }

  get spawn(): never {
    return missing('spawn')
  }

  get system(): never {
    return missing('system')
  }
}

export type Run = {
  scope: Scope
  readonly actions: MachineAction[]
  /** The events raised without delay, oldest first. */
  readonly raised: EventObject[]
}

export type Perform = (run: Run) => void

/** The part of the active states that guards may ask about. `nodes` holds the states at rest and all that contain them. */
export type Situation = { readonly nodes: ReadonlySet<AnyStateNode>; readonly value: StateValue }
export type Guard = (scope: Scope, active: Situation) => boolean
