// The order's statechart as data, and as text for drawing tools. Pages show it without reading XState's
// untyped definitions. Pure, like all of core.

import { orderMachine } from '../order/machine/order-machine.ts'
import { type Graph, graphOf } from './graph.ts'

export * from './graph.ts'
export { mermaidOf } from './mermaid.ts'

/** The order's own statechart, with its three regions. */
export const orderGraph: Graph = graphOf(orderMachine)
