// In a sandbox a merchant looks at the way of their own orders on the statechart,
// and runs the way to any state. Contract §7, Machine, and §8, Runs.
import type { MachineTools } from '../machine/routes.ts'
import { sandboxTop, WIDE_STYLE } from './layout.ts'
import type { SandboxServices } from './services.ts'

export const machineTools = ({ byStreamOwner }: SandboxServices): MachineTools => ({
  ownOrder: byStreamOwner.load,
  style: WIDE_STYLE,
  page: { runs: 'sandbox/demo/', lead: sandboxTop('machine', '') },
  orderPage: (root) => ({ runs: '../../sandbox/demo/', lead: sandboxTop('machine', root) }),
})
