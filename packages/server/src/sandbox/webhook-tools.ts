// The tools with which a sandbox merchant tests its webhooks. They share the requests in flight, so they are made together.
import type { SandboxStore } from '@plazo/adapters/sandbox'
import type { Clock, FullStore, Unavailable } from '@plazo/core'
import { createWebhookInbox, type WebhookInbox } from './webhook-inbox.ts'

export type WebhookTools = {
  readonly inbox: WebhookInbox
  /** The fault drill that touched the delivery with this `Webhook-Id`, or null. */
  readonly drillOf: (webhookId: string) => string | null
  /** Resolves once everything is stored. */
  readonly drain: () => Promise<void>
}

type ToolParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly sandboxStore: SandboxStore
  readonly clock: Clock
}

export const createWebhookTools = (
  { store, sandboxStore, clock }: ToolParts,
  onFailure: (reason: Unavailable) => void,
): WebhookTools => {
  const inbox = createWebhookInbox({ store, sandboxStore, clock, onFailure })
  return { inbox, drillOf: () => null, drain: inbox.drain }
}
