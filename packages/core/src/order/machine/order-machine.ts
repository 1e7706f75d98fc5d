// The order as a statechart: the only place that decides what may happen next. Three regions, one file each.
// These files only name effects; the host runs them. Nothing here waits, writes or reads a clock.
import { cancellationRegion } from './cancellation-region.ts'
import { checkoutRegion } from './checkout-region.ts'
import { orderSetup } from './order-setup.ts'
import { riskRegion } from './risk-region.ts'

export const orderMachine = orderSetup.createMachine({
  id: 'order',
  type: 'parallel',
  context: ({ input }) => input,
  states: { checkout: checkoutRegion, risk: riskRegion, cancellation: cancellationRegion },
  options: { maxIterations: 100 },
})
