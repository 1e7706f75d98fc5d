// The rest of the server knows an optional part only by this type, so that a server without the part
// loads none of its files.
import type { SendRequest } from '@plazo/adapters/http'
import type { Timers } from '@plazo/adapters/system'
import type { Clock, Job, Providers, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { MiddlewareHandler } from 'hono'
import type { Config } from '../settings/config.ts'
import type { ServerStorage } from '../settings/storage.ts'
import type { Additions, AttemptNotes, PageFrame, Placeholders } from './additions.ts'
import type { AttemptFaults } from './chunked-json.ts'
import type { Route } from './route.ts'
import type { AllServices } from './services.ts'

/** At most ten members: each is one place where an extension meets the server. */
export type Extension = {
  /** Domain time, if the extension can move it. Default: the store's own clock. */
  readonly clock?: Clock
  /** Answers ports that nobody else answers, and observes what the others answer. */
  readonly wrapProviders?: (own: Partial<Providers>) => Partial<Providers>
  readonly webhooks?: WebhookWatch
  readonly onRequest?: MiddlewareHandler
  readonly attempts?: AttemptNotes
  /** What an erasure leaves behind: one sentence each. */
  readonly notErased?: (orderRef: string) => TaskEither<Unavailable, readonly string[]>
  readonly placeholders?: Placeholders
  readonly frame?: PageFrame
  /** Called once, when everything else runs. They replace the server's own of the same path. */
  readonly routes?: (services: AllServices) => readonly Route[]
  /** Called once nothing is in flight any more. */
  readonly close?: () => Promise<void>
}

/** Builds the extension of one server, or of one command. */
export type OpenExtension = (parts: ExtensionParts) => TaskEither<Unavailable, Extension>

declare const INSIDE: unique symbol

/** An extension as programs pass it on. Its inside is not public: it may change with each version. */
export type ServerExtension = { readonly [INSIDE]: true }

// At run time both are the same function.
export const hideInside = (open: OpenExtension): ServerExtension =>
  open as unknown as ServerExtension
export const insideOf = (extension: ServerExtension): OpenExtension =>
  extension as unknown as OpenExtension

/** The parts of the server that an extension may use. */
export type ExtensionParts = Omit<ServerStorage, 'close'> & {
  readonly timers: Timers
  readonly config: Config
  /** Every URL that the server hands out starts with it. */
  readonly baseUrl: string
  /** Reports that the database does not answer. */
  readonly onFailure: (reason: Unavailable) => void
}

/** Records, delays or replaces what merchants are sent. */
type WebhookWatch = {
  /** True: this merchant's requests are sent on the main thread, through `wrapSend`. */
  readonly isWatching: (merchantRef: string) => boolean
  /** The request is signed already. */
  readonly wrapSend: (send: SendRequest) => SendRequest
}

/** All extensions of a server as one. */
export type JoinedExtension = ReturnType<typeof joinExtensions>

export const joinExtensions = (extensions: readonly Extension[]) => {
  const membersOf = <Name extends keyof Extension>(name: Name) =>
    extensions.flatMap((each): NonNullable<Extension[Name]>[] => {
      const member = each[name]
      return member === undefined ? [] : [member as NonNullable<Extension[Name]>]
    })
  const attempts = membersOf('attempts')
  const webhooks = membersOf('webhooks')
  const notErased = membersOf('notErased')
  const faultsOf = (merchantRef: string): TaskEither<Unavailable, AttemptFaults> =>
    pipe(
      attempts,
      TE.traverseArray((each) => each.faultsOf(merchantRef)),
      TE.map((all) => (id, tried) => new Map(all.flatMap((faults) => [...faults(id, tried)]))),
    )
  return {
    clock: membersOf('clock')[0],
    onRequest: membersOf('onRequest'),
    wrapProviders: (own: Partial<Providers>) =>
      membersOf('wrapProviders').reduce((providers, wrap) => wrap(providers), own),
    /** Null: nothing watches webhooks. */
    webhooks:
      webhooks.length === 0
        ? null
        : {
            isWatching: (ref: string) => webhooks.some(({ isWatching }) => isWatching(ref)),
            wrapSend: (send: SendRequest) =>
              webhooks.reduce((inner, { wrapSend }) => wrapSend(inner), send),
          },
    additions: {
      attempts: {
        complete: (job: Job) => attempts.map((each) => each.complete(job)).includes(true),
        explainsSlowness: (ref: string) => attempts.some((each) => each.explainsSlowness(ref)),
        faultsOf,
      },
      placeholders: membersOf('placeholders')[0],
      frame: membersOf('frame')[0],
    } satisfies Additions,
    notErased: (orderRef: string) =>
      pipe(
        notErased,
        TE.traverseArray((find) => find(orderRef)),
        TE.map((sentences) => sentences.flat()),
      ),
    routes: (services: AllServices) => membersOf('routes').flatMap((routes) => routes(services)),
    close: async () => {
      await Promise.all(membersOf('close').map((close) => close()))
    },
  }
}
