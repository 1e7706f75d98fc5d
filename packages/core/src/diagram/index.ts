// @plazo/core/diagram: the order's statechart as data, and as text for drawing tools. Pure, like all of core.
import { orderMachine } from '../order/machine/order-machine.ts'
import { type Graph, graphOf } from './graph.ts'

export * from './graph.ts'
export { mermaidOf } from './mermaid.ts'

export const orderGraph: Graph = graphOf(orderMachine)
