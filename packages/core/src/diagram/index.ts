// @plazo/core/diagram: the order's statechart as data, and as text for drawing tools. Pure, like all of core.
import { orderMachine } from '../order/order-machine.ts'
import { type Graph, graphOf } from './graph.ts'

export { type Arrow, arrowsOf, initialStatesOf } from './arrows.ts'
export {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
  graphOf,
  graphWithin,
  type Trigger,
} from './graph.ts'
export { mermaidOf } from './mermaid.ts'
export { actionText, type NamedAction } from './named-action.ts'
export type { NamedGuard } from './named-guard.ts'
export type { Params } from './params.ts'
export { scxmlOf } from './scxml.ts'

export const orderGraph: Graph = graphOf(orderMachine)
