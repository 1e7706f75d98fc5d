// The order as a statechart: the only place that decides what may happen next. Three regions, one
// file each. These files only name effects; the host runs them. Nothing here waits, writes or reads
// a clock.
//
// A target is a path from its state or from a sibling. `#id` names a state of another file or
// branch. A state with `after` also needs an id that never changes: the name of its timer contains
// it and is stored.

import { cancellationRegion } from './cancellation-region.ts'
import { checkoutRegion } from './checkout-region.ts'
import { orderSetup } from './order-setup.ts'
import { riskRegion } from './risk-region.ts'

/** The regions of the statechart, for a host that changes them. */
export const regions = {
  checkout: checkoutRegion,
  risk: riskRegion,
  cancellation: cancellationRegion,
}

export const createChart = (states: typeof regions) =>
  orderSetup.createMachine({
    id: 'order',
    type: 'parallel',
    context: ({ input }) => input,
    states,
    options: { maxIterations: 100 },
  })

/**
 * The order's statechart as a machine of XState, for `createActor`, inspectors and diagrams.
 * docs/machine.
 */
export const orderMachine = createChart(regions)
