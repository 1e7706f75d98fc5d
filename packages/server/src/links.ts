// The addresses that are handed out.
import type { Links, ProviderPort } from '@plazo/core'
import type { Config } from './config.ts'

/** Where this server is reached; `port`: the one it got. */
export const baseUrlOf = ({ baseUrl }: Config, port: number): string => baseUrl ?? `http://localhost:${port}`

/** Where a provider tells his answers later. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string => `${baseUrl}/providers/${port}`

/** Every address handed out, under one base. */
export const linksFrom = (baseUrl: string): Links => ({
  wait: (orderRef) => `${baseUrl}/api/v1/checkout/${orderRef}/wait`,
  pay: (orderRef, token) => `${baseUrl}/pay/${orderRef}/${token}`,
  payWithCard: (orderRef, token, card) => `${baseUrl}/pay/${orderRef}/${token}/card/${card}`,
  verify: (orderRef, token) => `${baseUrl}/verify/${orderRef}/${token}`,
  cancellationRequest: (orderRef) => `${baseUrl}/console/orders/${orderRef}`,
})
