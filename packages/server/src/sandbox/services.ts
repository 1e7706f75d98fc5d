// All routes of the sandbox are made from this one record, which is made once for a server.

import type { AddressGuard } from '@plazo/adapters/http'
import type { Config } from '@plazo/server'
import {
  type Access,
  type AppAccess,
  answer,
  EVENT_STREAM,
  query,
  type ReadAfter,
  type Route,
  route,
  type Services,
} from '@plazo/server/internal'
import type { TestClockControl } from './clock/test-clock.ts'
import type { Recorder } from './recorder.ts'
import type { MessagesOf } from './sandbox-messages.ts'

export type SandboxServices = AppAccess &
  Pick<Services, 'host' | 'baseUrl' | 'merchants' | 'setting' | 'errorReporter' | 'answerError'> & {
    readonly config: Pick<Config, 'operatorPassword'>
    /** Checks the URLs of orders. */
    readonly guard: AddressGuard
    /** Calls this sandbox without a socket. */
    readonly callApp: (path: string, init: RequestInit) => Promise<Response>
    /** Waits up to a second for a message that is still being sent. */
    readonly messages: MessagesOf
    readonly sentMessages: MessagesOf
    readonly time: TestClockControl
    readonly recorder: Recorder
  }

/** A route with server-sent events, until the reader leaves. */
export const followRoute = <A>(
  streams: AppAccess['streams'],
  call: `GET ${string}`,
  id: string,
  summary: string,
  { follow, ...stream }: StreamDefinition<A>,
): Route =>
  route(call, id, summary, {
    ...stream,
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

type StreamDefinition<A> = {
  readonly access: Access<A>
  readonly description: string
  readonly follow: (loaded: A) => {
    /** Whose streams are counted together. */
    readonly account: string
    readonly readAfter: ReadAfter
  }
}
