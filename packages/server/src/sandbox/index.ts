// @plazo/server/sandbox: all that only a sandbox has, as one extension of the server.
//
// ```ts
// import { openLog, readConfig, serve } from '@plazo/server'
// import { sandbox } from '@plazo/server/sandbox'
//
// const config = readConfig({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
// if (config._tag === 'Left') throw new Error(config.left.join('\n'))
// const server = await serve(config.right, openLog('silent'), { extensions: [sandbox] })
// console.log((await fetch(`${server.baseUrl}/sandbox/clock`)).status) // 200
// await server.stop()
// ```

import { listMessages, sandboxProviders } from '@plazo/adapters/sandbox'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { html } from 'hono/html'
import { type Extension, hideInside, type OpenExtension } from '../http/extension.ts'
import { controlTestClock, createFiredJobs } from './clock/test-clock.ts'
import { addDemoMerchant, demoSamples } from './demo-merchant.ts'
import { demoPages, demoRoutes } from './front-page/routes.ts'
import { sandboxTop, WIDE_STYLE } from './layout.ts'
import { lenderPages, lenderPlaceholders } from './lender.ts'
import { openBase } from './open-base.ts'
import { payPages, payRoutes, verifyPages, verifyRoutes } from './provider-pages/routes.ts'
import { recordRequests } from './record-requests.ts'
import { createRecorder, recordProviders } from './recorder.ts'
import { sandboxRoutes } from './routes.ts'
import { createSandboxMessages } from './sandbox-messages.ts'
import { type SandboxServices, toolOwners } from './services.ts'
import { demoHistoryRoutes, timelineRoutes } from './timeline/routes.ts'
import { receiverRoutes } from './webhooks/receivers.ts'
import { webhooksPages } from './webhooks/routes.ts'

const openSandbox: OpenExtension = (parts) =>
  pipe(
    openBase(parts),
    TE.tap(() => TE.fromTask(() => addDemoMerchant(parts.merchants))),
    TE.map(({ clock }): Extension => {
      const { baseUrl, records, timers } = parts
      const stores = { ...parts, clock }
      const recorder = createRecorder(clock)
      const sentMessages = listMessages(records)
      const firedJobs = createFiredJobs()
      const simulated = sandboxProviders(records)
      let ownPorts: readonly string[] = []
      return {
        clock,
        onRequest: recordRequests(recorder, clock),
        wrapProviders: (given) => {
          ownPorts = Object.keys(given)
          return recordProviders(recorder, { ...simulated, ...given })
        },
        onCompleted: firedJobs.record,
        placeholders: { legal: lenderPlaceholders(baseUrl), samples: demoSamples(baseUrl) },
        frame: {
          bar: sandboxTop,
          badge: (root) => html`<a class="mark" href="${root || './'}">sandbox</a>`,
          barStyle: 'http/page/top.css',
          errorStyle: WIDE_STYLE,
          home: (root) => html`<p><a href="${root || './'}">Go to the sandbox’s front page</a></p>`,
        },
        machine: {
          style: WIDE_STYLE,
          lead: (root) => sandboxTop('machine', root),
          runs: 'sandbox/demo/',
        },
        routes: (services) => {
          const { host, dispatcher } = services
          const all: SandboxServices = {
            ...services,
            sandbox: {
              // Messages that a provider sends never appear among the sandbox's own.
              messages: ownPorts.includes('sms') ? sentMessages : createSandboxMessages(stores),
              time: controlTestClock({ clock, store: host.store, dispatcher, firedJobs }),
              sentMessages,
              recorder,
            },
          }
          return [
            ...(ownPorts.includes('payments') ? [] : payRoutes(services)),
            ...(ownPorts.includes('identity') ? [] : verifyRoutes(services)),
            ...sandboxRoutes(all),
            ...receiverRoutes(all, timers),
            ...toolOwners(services).flatMap((owner) => timelineRoutes(all, owner)),
            ...demoHistoryRoutes(all),
            ...demoRoutes(all),
          ]
        },
        pages: (services) => [
          demoPages(services),
          lenderPages(),
          webhooksPages(services),
          ...(ownPorts.includes('payments') ? [] : [payPages(services)]),
          ...(ownPorts.includes('identity') ? [] : [verifyPages(services)]),
        ],
      }
    }),
  )

/**
 * Adds simulated providers, messages and the clock that can be moved. Give it to
 * `compose` or `serve` in `extensions`, except in production.
 */
export const sandbox = hideInside(openSandbox)
