// Builds the machine's context from an order and a moment. Both the step and XState's own tools need exactly this value.
import type { Order } from './order.ts'
import type { MachineContext } from './order-setup.ts'
import type { StepInput, Terms } from './terms.ts'

/** The context for the next step of the order: its revision is one above the order's. */
export const machineInput =
  ({ rules }: Pick<Terms, 'rules'>) =>
  ({ placed, context, revision }: Omit<Order, 'state'>, moment: StepInput): MachineContext => ({
    ...context,
    placed,
    rules,
    moment: { ...moment, revision: revision + 1 },
  })
