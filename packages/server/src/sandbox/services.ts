// All routes of the sandbox are made from this one record, which is made once for a server. They are
// listed apart in the API's description.

import type { listMessages } from '@plazo/adapters/internal/sandbox'
import {
  type Access,
  accessBy,
  answer,
  EVENT_STREAM,
  openTo,
  query,
  type ReadAfter,
  type Route,
  route,
  type Services,
} from '@plazo/server/internal'
import type { TestClockControl } from './clock/test-clock.ts'
import type { Recorder } from './recorder.ts'

export type SandboxServices = Services & {
  /** Calls this sandbox without a socket. */
  readonly callApp: (path: string, init?: RequestInit) => Promise<Response>
  /** The SMS of an order, oldest first. */
  readonly messages: ReturnType<typeof listMessages>
  readonly time: TestClockControl
  readonly recorder: Recorder
}

const CALLS = {
  name: 'Sandbox',
  description:
    'Tools to develop a shop against: time, test cards, ID sessions and a demo merchant.',
}

/** Open to everybody who reaches the server. */
export const SANDBOX = openTo(CALLS)

export const accessInSandbox = <A>(load: Access<A>['load']): Access<A> => accessBy(CALLS, load)

type StreamDefinition<A> = {
  readonly access: Access<A>
  readonly description: string
  readonly follow: (loaded: A) => {
    /** Whose streams are counted together. */
    readonly account: string
    readonly readAfter: ReadAfter
  }
}

/** A route with server-sent events, until the reader leaves. */
export const followRoute = <A>(
  { streams }: SandboxServices,
  call: `GET ${string}`,
  id: string,
  summary: string,
  { access, description, follow }: StreamDefinition<A>,
): Route =>
  route(call, id, summary, {
    access,
    description,
    parameters: { after: query('The id of the last event that the reader has.') },
    ok: answer('Server-sent events, until the reader leaves.', EVENT_STREAM),
    problems: {
      400: 'after is not the number of an event.',
      429: 'The account follows too many streams at once.',
    },
    handle: (loaded, _, c) => {
      const { account, readAfter } = follow(loaded)
      return streams.respond(c, account, readAfter)
    },
  })
