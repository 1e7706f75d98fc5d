// In a sandbox a merchant looks at the way of their own orders on the statechart,
// and runs the way to any state. Contract §7, Machine, and §8, Runs.
import { html } from 'hono/html'
import type { MachineTools } from '../machine/routes.ts'
import { sandboxTop, WIDE_STYLE } from './layout.ts'
import type { SandboxServices } from './services.ts'
import { drillBanner } from './webhooks/drills-page.ts'

export const machineTools = ({ byStreamOwner, sandbox }: SandboxServices): MachineTools => ({
  ownOrder: byStreamOwner.load,
  style: WIDE_STYLE,
  page: { runs: 'sandbox/demo/', lead: sandboxTop('machine', '') },
  orderPage: ({ placed: { merchant } }, root, isByMerchant) => ({
    runs: '../../sandbox/demo/',
    lead: html`${sandboxTop('machine', root)}${isByMerchant && drillBanner(sandbox.tools.drills.cached, merchant.ref, root)}`,
    scripts: isByMerchant ? ['drills-element'] : [],
  }),
})
