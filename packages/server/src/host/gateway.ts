// Merchants choose the URLs that plazo calls, so every call passes a guard, and the calls may not
// use up the sockets. A thread makes them, so that no request waits for them.
import {
  addressGuard,
  type ClosableMerchantGateway,
  type MerchantGatewayOptions,
  threadedGateway,
} from '@plazo/adapters/internal/http'
import type { Log } from '../log/log.ts'
import type { Config } from '../settings/config.ts'

export type GatewayOptions = {
  /** Opens what calls merchants. Default: a thread. */
  readonly openGateway?: (options: MerchantGatewayOptions) => ClosableMerchantGateway
}

/** The gateway that calls merchants, and the checks that refuse URLs which it must not call. */
export const openGateway = (
  { policy, names, proxy, webhookAllow }: Config,
  { openGateway: openOwn }: GatewayOptions,
  options: Omit<MerchantGatewayOptions, 'names' | 'guard' | 'proxy'>,
) => {
  const guardOptions = { allowsLocal: policy.allowsLocal, allow: webhookAllow }
  const guard = addressGuard(guardOptions)
  const gatewayOptions = { ...options, names, proxy }
  return {
    gateway:
      openOwn?.({ ...gatewayOptions, guard }) ??
      threadedGateway({ ...gatewayOptions, guard: guardOptions }),
    urls: { checkUrl: guard.checkUrl, checkPage: guard.checkPage },
  }
}
// Deliveries in flight may use one fourth of a process's descriptors. As many again may be kept
// open for the next request. At the limit of open files nothing works any more, neither merchants'
// requests nor the database.
const FILES_PER_SOCKET = 4
const SOCKETS_MAX = 4_000

type Report = {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}

/** Infinity if the system reports no limit, or has none. */
const readOpenFilesLimit = (): number => {
  const { report } = process
  // Names of network interfaces are not needed, and looking them up takes time.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : Infinity
}

/**
 * How many deliveries may be in flight on this node, including those that wait for an answer. At
 * least two: one for every merchant, and one for good ones.
 */
export const limitSockets = (log: Log): number => {
  const allowed = Math.floor(readOpenFilesLimit() / FILES_PER_SOCKET)
  const sockets = Math.max(2, Math.min(SOCKETS_MAX, allowed))
  if (sockets < SOCKETS_MAX) log('sockets_limited', { count: sockets })
  return sockets
}
