// What the machine sees of an order at a moment: what the step gives it, and whoever looks at it by XState's own tools.
import type { Order } from './order.ts'
import type { MachineContext } from './order-setup.ts'
import type { Moment, Terms } from './terms.ts'

/** For the step that follows on the order as it is. */
export const machineInput =
  ({ rules }: Pick<Terms, 'rules'>) =>
  ({ placed, context, revision }: Omit<Order, 'state'>, moment: Moment): MachineContext => ({
    ...context,
    placed,
    rules,
    moment: { ...moment, revision: revision + 1 },
  })
