// The rest of the server knows an optional part only by this type, so that a server without the part
// loads none of its files.
import type { Timers } from '@plazo/adapters/system'
import type { Clock, Job, Providers, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Hono, MiddlewareHandler } from 'hono'
import type { Config } from '../settings/config.ts'
import type { ServerStorage } from '../settings/storage.ts'
import type { Additions } from './additions.ts'
import type { Route } from './route.ts'
import type { Services } from './services.ts'

/** At most ten members: each is one place where an extension meets the server. */
export type Extension = Partial<Additions> & {
  /** Domain time, if the extension can move it. Default: the store's own clock. */
  readonly clock?: Clock
  /** Answers ports that nobody else answers, and observes what the others answer. */
  readonly wrapProviders?: (providers: Partial<Providers>) => Partial<Providers>
  readonly onRequest?: MiddlewareHandler
  /** Called for each job that was run. */
  readonly onCompleted?: (job: Job) => void
  /** Called once, when everything else runs. */
  readonly routes?: (services: Services) => readonly Route[]
  /** Called once after `routes`. They replace the server's own of the same path. */
  readonly pages?: (services: Services) => readonly Hono[]
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
}

/** The members that need no question whether an extension has them. */
type Complete = Required<Pick<Extension, 'wrapProviders' | 'routes' | 'pages'>>

/** All extensions of a server as one. */
export type JoinedExtension = Extension & Complete

const NO_EXTENSION: Complete = {
  wrapProviders: (providers) => providers,
  routes: () => [],
  pages: () => [],
}

/** If several have the same member, the last one counts. */
export const openExtensions = (
  extensions: readonly OpenExtension[],
  parts: ExtensionParts,
): TaskEither<Unavailable, JoinedExtension> =>
  pipe(
    extensions,
    TE.traverseSeqArray((open) => open(parts)),
    TE.map((all) => Object.assign({}, NO_EXTENSION, ...all)),
  )
