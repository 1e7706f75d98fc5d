// Makes one signed request to a merchant over HTTP. Within one deadline, it returns the answer, or why there is none.
// Interface §4.4 and §5, contract §6.
import { lookup as systemLookup } from 'node:dns'
import type { MerchantGateway, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/timers.ts'
import type { AddressGuard } from './address-guard.ts'
import { attemptWatch, type OnActivity } from './attempt-activity.ts'
import type { Call } from './exchange.ts'
import { guardedLookup, type LookupAll } from './guarded-lookup.ts'
import { keptConnections } from './kept-connections.ts'
import type { Answer } from './read-answer.ts'
import { failureOf, requestFailure } from './request-failure.ts'
import { sign, signStandardWebhook } from './signature.ts'
import { portOf } from './url-port.ts'

export type SignedRequestsOptions = {
  readonly names: WireNames
  readonly guard: AddressGuard
  readonly lookup?: LookupAll
  readonly timers?: Pick<Timers, 'after'>
  /** Makes the request instead, if it does not go over a connection. */
  readonly exchange?: (call: Call) => Promise<Answer>
  /** Called when a named attempt begins to wait, and when it is active again. An attempt begins as active. */
  readonly onActivity?: OnActivity
  /** The number of connections beyond which none is kept for the next request. Default: 4,000. */
  readonly connectionsMax?: number
}

export type Posted = Parameters<MerchantGateway['post']>[0]

type Signing = {
  /** The live secrets, the current one first. Empty if the merchant is unknown. */
  readonly secrets: TaskEither<unknown, readonly string[]>
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`: receivers compare it with their own clocks. */
  readonly realNow: () => number
}

type SignedRequests = {
  /** `millis`: real time for everything, from reading the secrets to the last byte of the body. */
  readonly make: (posted: Posted, signing: Signing, millis: number) => Promise<Answer>
  /** Closes all connections, including those with requests in flight. */
  readonly close: () => void
}

export const signedRequests = (options: SignedRequestsOptions): SignedRequests => {
  const { names, guard, timers = systemTimers, lookup = systemLookup, connectionsMax } = options
  const connections = keptConnections(connectionsMax)
  const watch = options.onActivity && attemptWatch(timers, options.onActivity)
  const { exchange = connections.exchange } = options

  const headersOf = ({ id, contentType, body }: Posted, current: string, secrets: readonly string[], now: number) => {
    const timestamp = Math.floor(now / 1000)
    return {
      'Content-Type': contentType,
      'Content-Length': String(Buffer.byteLength(body)),
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': names.userAgent,
      [names.signatureHeader]: sign(current, body),
      'Webhook-Id': id,
      'Webhook-Timestamp': String(timestamp),
      'Webhook-Signature': signStandardWebhook(secrets, { id, timestamp, body }),
    }
  }

  const attempt = async (
    posted: Posted,
    signing: Signing,
    deadline: AbortSignal,
    onProgress: () => void,
  ): Promise<Answer> => {
    const refusal = guard.checkUrl(posted.url)
    if (refusal !== null) return E.left(requestFailure('blocked_address', refusal))
    const secrets = await signing.secrets()
    if (E.isLeft(secrets)) return E.left(requestFailure('secrets_unavailable', 'The secrets could not be read.'))
    const [current] = secrets.right
    if (current === undefined) return E.left(requestFailure('merchant_unknown', 'There is no such merchant.'))

    const url = new URL(posted.url)
    return exchange({
      url,
      owner: posted.merchantRef,
      headers: headersOf(posted, current, secrets.right, signing.realNow()),
      body: posted.body,
      readsBody: posted.readsBody,
      lookup: guardedLookup(lookup, guard, portOf(url)),
      isAllowed: guard.isAllowed,
      deadline,
      onProgress,
    })
  }

  return {
    make: async (posted, signing, millis) => {
      // Node's timers run on the monotonic clock, so setting the machine's clock neither ends nor extends an attempt.
      const deadline = new AbortController()
      const timer = timers.after(millis, () => deadline.abort())
      const watched = watch && posted.attempt !== undefined ? watch.begin(posted.attempt) : null
      const onProgress = (): void => {
        if (watched !== null) watch?.progress(watched)
      }
      try {
        return await attempt(posted, signing, deadline.signal, onProgress)
      } catch (thrown) {
        return E.left(failureOf(thrown))
      } finally {
        timer.cancel()
        if (watched !== null) watch?.end(watched)
      }
    },
    close: connections.close,
  }
}
