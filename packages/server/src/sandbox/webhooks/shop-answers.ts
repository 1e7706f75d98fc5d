// The ways in which a shop may answer its webhooks, chosen in the URL, so that a developer sees how
// each checkout ends without a shop that misbehaves. Sandbox rules, Demo.
import type { HttpBindings } from '@hono/node-server'
import {
  cancelled,
  inMemoryIdempotencyStore,
  type MerchantHandlers,
  refused,
  retryIn,
  taken,
  tooLate,
} from '@plazo/adapters/merchant'
import type { Timers } from '@plazo/adapters/system'
import { RETRY_IN_MINUTES_MAX } from '@plazo/core/protocol'
import type { Context } from 'hono'

export type Endpoint = 'ipn' | 'events'

export const ignore = (): void => {}

const INFORMED: MerchantHandlers = {
  cancelled: ignore,
  denied: ignore,
  risk_assessment: ignore,
  identification_action: ignore,
}

const fail = (): never => {
  throw new Error('The shop was asked to fail.')
}

type Handlers = { readonly accept: MerchantHandlers; readonly [answer: string]: MerchantHandlers }

/** The answers of a shop's own code, by endpoint. */
export const HANDLERS: { readonly [endpoint in Endpoint]: Handlers } = {
  ipn: { accept: { ipn: taken }, conflict: { ipn: refused }, error: { ipn: fail } },
  events: {
    accept: { ...INFORMED, cancel: cancelled },
    toolate: { ...INFORMED, cancel: () => tooLate(3) },
    retry: { ...INFORMED, cancel: () => retryIn(RETRY_IN_MINUTES_MAX) },
    unsupported: INFORMED,
    error: { ...INFORMED, cancel: fail },
  },
}

/** Answers that a shop's code would not choose: they come from its server or the network. */
const TROUBLES = ['error-then-ok', 'slow', 'silent', 'reset', 'redirect', 'dripping'] as const

const STATUS = /^[2-5]\d\d$/

export const isAnswer = (endpoint: Endpoint, name: string): boolean =>
  STATUS.test(name) || acceptedAnswers(endpoint).includes(name)

export const acceptedAnswers = (endpoint: Endpoint): readonly string[] => [
  ...Object.keys(HANDLERS[endpoint]),
  ...TROUBLES,
]

const SLOW_MILLIS = 10_000
const DRIP_MILLIS = 1_000
// An attempt ends after 30 s.
const SILENT_MILLIS = 60_000

type SignedRequest = {
  readonly c: Context
  /** Names the delivery among those of all merchants. */
  readonly key: string
  /** The answer of a shop that accepts everything. */
  readonly accepted: Response
}

/** Turns the answer to a rightly signed request into the one that the URL names. */
export const createTroubles = ({ after }: Pick<Timers, 'after'>) => {
  const failedOnce = inMemoryIdempotencyStore()
  const wait = (millis: number) => new Promise<void>((resolve) => after(millis, resolve))

  const failFirst = async ({ key, accepted }: SignedRequest): Promise<Response> => {
    if ((await failedOnce.find(key)) !== null) return accepted
    await failedOnce.save(key, { status: 500, body: '' })
    return withStatus(500)
  }

  const acceptLater = async ({ accepted }: SignedRequest, millis: number): Promise<Response> => {
    await wait(millis)
    return accepted
  }

  const drip = (): Response => {
    let drips = SILENT_MILLIS / DRIP_MILLIS
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await wait(DRIP_MILLIS)
        controller.enqueue(new TextEncoder().encode(' '))
        drips -= 1
        if (drips === 0) controller.close()
      },
    })
    return new Response(body)
  }

  return async (name: string, request: SignedRequest): Promise<Response> => {
    switch (name) {
      case 'error-then-ok':
        return failFirst(request)
      case 'slow':
        return acceptLater(request, SLOW_MILLIS)
      case 'silent':
        return acceptLater(request, SILENT_MILLIS)
      case 'reset':
        return reset(request.c)
      case 'redirect':
        return withStatus(302, { location: '/demo/return' })
      case 'dripping':
        return drip()
      default:
        return STATUS.test(name) ? withStatus(Number(name)) : request.accepted
    }
  }
}

const withStatus = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers })

/** A host without sockets answers 500. */
const reset = (c: Context): Response => {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  incoming?.socket.destroy()
  return withStatus(500)
}
