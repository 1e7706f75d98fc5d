// Merchants choose the URLs that plazo calls, so every call passes a guard, and the calls may not
// use up the sockets.
import {
  addressGuard,
  createDnsPrecheck,
  type MerchantGatewayOptions,
  merchantGateway,
  threadedGateway,
} from '@plazo/adapters/http'
import { systemTimers, type Timers } from '@plazo/adapters/system'
import type { Clock, Merchants } from '@plazo/core/ports'
import type { Log } from '../log/log.ts'
import type { Config } from '../settings/config.ts'

type WebhookSenderOptions = Pick<
  MerchantGatewayOptions,
  'connectionsMax' | 'onActivity' | 'sendRequest'
> & {
  readonly timers?: Timers
  /** True: in a separate thread, which uses neither the given timers nor a given network. */
  readonly isThreaded: boolean
}

/**
 * Builds the gateway that calls merchants, and the checks that refuse URLs which it must not call.
 */
export const createWebhookSender = (
  { policy, names, webhookAllow }: Config,
  merchants: Merchants,
  clock: Clock,
  {
    timers = systemTimers,
    sendRequest,
    isThreaded,
    connectionsMax,
    onActivity,
  }: WebhookSenderOptions,
) => {
  const guardOptions = { allowsLocal: policy.allowsLocal, allow: webhookAllow }
  const guard = addressGuard(guardOptions)
  const gatewayOptions = {
    names,
    secretsOf: (ref: string) => merchants.liveSecrets(ref, clock.now()),
    realNow: timers.realNow,
    ...(connectionsMax && { connectionsMax }),
    ...(onActivity && { onActivity }),
  }
  const gateway = isThreaded
    ? threadedGateway({ ...gatewayOptions, guard: guardOptions })
    : merchantGateway({
        ...gatewayOptions,
        guard,
        timers,
        ...(sendRequest && { sendRequest }),
      })
  const hosts =
    !policy.allowsLocal && !sendRequest
      ? createDnsPrecheck(guard)
      : { checkUrl: guard.checkUrl, resolveHosts: null }
  return { gateway, urls: { ...hosts, checkPage: guard.checkPage } }
}

// Deliveries in flight may use one fourth of a process's descriptors. As many again may be kept
// open for the next request. At the limit of open files nothing works any more, neither merchants'
// requests nor the database.
const FILES_PER_SOCKET = 4
const SOCKETS_MAX = 4_000

type Report = {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}

/** Null if the system reports no limit, or has none. */
const readOpenFilesLimit = (): number | null => {
  const { report } = process
  if (report === undefined) return null
  // Names of network interfaces are not needed, and looking them up takes time.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as Report
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : null
}

/**
 * How many deliveries may be in flight on this node, including those that wait for an answer. At
 * least two: one for every merchant, and one for good ones.
 */
export const limitSockets = (log: Log): number => {
  const openFiles = readOpenFilesLimit()
  if (openFiles === null) return SOCKETS_MAX
  const sockets = Math.max(2, Math.min(SOCKETS_MAX, Math.floor(openFiles / FILES_PER_SOCKET)))
  if (sockets < SOCKETS_MAX) log('sockets_limited', { count: sockets })
  return sockets
}
