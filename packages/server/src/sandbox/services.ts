// All routes of the sandbox are made from this one record, which is made once for a server.
import type { OrderAccess } from '../http/access.ts'
import type { Services } from '../http/services.ts'
import type { TestClockControl } from './clock/test-clock.ts'
import type { ForkLinks } from './fork-order.ts'
import type { SandboxWatch } from './watch.ts'
import type { WebhookTools } from './webhooks/webhook-tools.ts'

export type SandboxServices = Services & {
  readonly sandbox: {
    readonly messages: SandboxWatch['messages']
    readonly time: TestClockControl
    readonly watch: SandboxWatch
    readonly tools: WebhookTools
    readonly forks: ForkLinks
  }
  /** An order of the demo merchant, for everybody. */
  readonly demoOrder: OrderAccess
}
