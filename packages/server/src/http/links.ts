// All URLs that the server hands out are built here, so that they share one base.
import type { Links, ProviderPort } from '@plazo/core'
import type { Config } from '../config.ts'

/** The URL at which this server is reached. `port`: the port that it listens on. */
export const baseUrlOf = ({ baseUrl }: Config, port: number): string => baseUrl ?? `http://localhost:${port}`

/** The URL to which a provider sends later answers. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string => `${baseUrl}/providers/${port}`

export const SINK_PATH = '/sandbox/sink'

/** Accepts the webhooks of the sandbox's forks. */
export const sinkUrl = (baseUrl: string): string => `${baseUrl}${SINK_PATH}`

/** Builds every URL that is handed out, under one base. */
export const linksFrom = (baseUrl: string): Links => ({
  wait: (orderRef) => `${baseUrl}/api/v1/checkout/${orderRef}/wait`,
  pay: (orderRef, token) => `${baseUrl}/pay/${orderRef}/${token}`,
  payWithCard: (orderRef, token, card) => `${baseUrl}/pay/${orderRef}/${token}/card/${card}`,
  verify: (orderRef, token) => `${baseUrl}/verify/${orderRef}/${token}`,
  cancellationRequest: (orderRef) => `${baseUrl}/console/orders/${orderRef}`,
})
