// Composes a server of three parts: stores, the worker that runs their due jobs, and the app that
// answers requests. A program that embeds plazo replaces what it brings itself by an option.
import type { Dispatcher } from '@plazo/adapters/internal/host'
import type { FullHost } from '@plazo/core'
import type { Hono } from 'hono'
import { mountable } from '../http/mount-routes.ts'
import type { Route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { type Log, openLog } from '../log/log.ts'
import type { Config } from '../settings/config.ts'
import { type AppOptions, plazoApp } from './app.ts'
import { openStores, type StoreOptions } from './stores.ts'
import { startWorker, type WorkerOptions } from './worker.ts'

/** A whole server without a socket, as `compose` returns it. */
export type Plazo = {
  /** Answers requests: `app.fetch(request)`. Another Hono app mounts it by `route` or `mount`. */
  readonly app: Hono
  /** Each method and path that it answers, with patterns for parameters. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /**
   * The calls of the API, each with its description, for a program that describes its own too.
   *
   * @internal
   */
  readonly calls: readonly Route[]
  /**
   * The parts of which the routes are made, for further routes of the program.
   *
   * @internal
   */
  readonly services: Services
  /**
   * For the use cases of core, for example `recordProviderCallback(host)` to report a payment
   * later.
   */
  readonly host: FullHost
  /** Runs the due jobs: `drain()` resolves once nothing is due and nothing is in flight. */
  readonly worker: Pick<Dispatcher, 'drain' | 'wake' | 'hurry' | 'inFlight' | 'isRunning'>
  /**
   * Finishes the work in flight and waits for `answered` (the last request's answer), at most 30 s.
   * Then closes everything.
   */
  readonly stop: (answered?: Promise<void>) => Promise<void>
}

/** What a program that composes the server brings of its own. Only `baseUrl` is required. */
export type ComposeOptions = StoreOptions &
  WorkerOptions &
  AppOptions & {
    /**
     * Where this server is reached, without a slash at the end. Every URL that it hands out starts
     * with it.
     */
    readonly baseUrl: string
    /** Default: JSON lines on standard output. */
    readonly log?: Log
  }

/**
 * Builds a running server without a socket. Rejects if it cannot open its database, or if nobody
 * answers a port.
 */
export const compose = async (config: Config, options: ComposeOptions): Promise<Plazo> => {
  const log = options.log ?? openLog(config.logLevel)
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const stores = await openStores(config, options, log)
  try {
    const worker = startWorker(config, baseUrl, stores, options, log)
    const { app, calls, services, close } = plazoApp(
      { ...stores, ...worker, config, baseUrl, log },
      options,
    )
    return {
      app: mountable(app),
      routes: app.routes,
      calls,
      services,
      host: worker.host,
      worker: worker.dispatcher,
      stop: async (answered = Promise.resolve()) => {
        // Otherwise a page that follows an order would keep the server from stopping.
        close()
        await worker.stop(answered)
        await stores.close()
      },
    }
  } catch (cause) {
    await stores.close()
    throw cause
  }
}
