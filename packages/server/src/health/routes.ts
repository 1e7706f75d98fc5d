// Every server has these parts that are about no order: health and metrics for operators, and the
// scripts and the icon of its pages. Contract §7.
import { Alive, Ready } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  findScript,
  MODULES_PATH,
  readScript,
  readStyle,
  toClassicScript,
} from '../http/page/browser-files.ts'
import { problem, requestError } from '../http/problem.ts'
import {
  answer,
  FRONTEND,
  type Headers,
  JAVASCRIPT,
  jsonAnswer,
  type Route,
  route,
  SERVICE,
  text,
} from '../http/route.ts'
import type { Services } from '../http/services.ts'

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export const ALIVE = { status: 'alive' } as const
export const NO_WRITES = 'The database does not answer, or accepts no writes.'

export const healthRoutes = ({
  readiness: { takesWrites, isDispatching },
}: Services): readonly Route[] => [
  route('GET /healthz', 'isAlive', 'Check liveness', {
    access: SERVICE,
    ok: jsonAnswer('The process is alive.', Alive, { alive: ALIVE }),
    handle: () => ALIVE,
  }),
  route('GET /readyz', 'isReady', 'Check readiness', {
    access: SERVICE,
    ok: jsonAnswer('The database accepts writes, and due work is processed.', Ready, {
      ready: { status: 'ready' },
    }),
    problems: { 503: 'Not ready.' },
    handle: () => async () => {
      if (!isDispatching()) return E.left(requestError(503, 'The server is stopping.', 1))
      return (await takesWrites())
        ? E.right({ status: 'ready' } as const)
        : E.left(requestError(503, NO_WRITES, 1))
    },
  }),
]

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M11 25V8h6.5a5.5 5.5 0 010 11H11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=UTF-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
}

// Pages of any origin may load modules, which browsers allow only with this header. They hold
// nothing that is not public.
const MODULE_HEADERS = { ...SCRIPT_HEADERS, 'access-control-allow-origin': '*' }

const STYLE_HEADERS = { ...MODULE_HEADERS, 'content-type': 'text/css; charset=UTF-8' }

/** A module at a lasting path. It re-exports the module whose path changes with the code. */
const lastingModule = (name: string) => async (): Promise<string> => {
  const { path } = await readScript(name)
  return `export * from './${path.slice('sdk/'.length)}'\n`
}

const theScript = answer('The script.', JAVASCRIPT)
const theModule = answer('The module.', JAVASCRIPT)

const script = (
  path: string,
  [id, summary, description]: readonly [id: string, summary: string, description: string],
  ok: typeof theScript,
  body: () => Promise<string>,
  headers: Headers = MODULE_HEADERS,
): Route =>
  route(`GET ${path}`, id, summary, {
    access: FRONTEND,
    description,
    ok,
    handle: async (_access, _body, c) => c.body(await body(), 200, headers),
  })

/**
 * The metrics that Prometheus scrapes, and the scripts and the icon of all pages. Contract §3, §7.
 */
export const serviceRoutes = ({ host, metrics }: Services): readonly Route[] => {
  const { service } = host.terms.names
  return [
    route('GET /metrics', 'metrics', 'Scrape the metrics', {
      access: SERVICE,
      ok: answer('In the format of Prometheus.', text('text/plain')),
      handle: (_access, _body, c) =>
        pipe(
          metrics.scrape,
          TE.map((scraped) => c.body(scraped, 200, { 'content-type': metrics.contentType })),
        ),
    }),
    // The script's global has the service's name. Contract §11, Card form.
    script(
      '/sdk/card-form.js',
      [
        'cardFormSdk',
        'Load the script that mounts the card form',
        `It shows iframe_url in an iframe, and turns these messages into callbacks: ${service}.form_loaded, invalid_form, card_data_fulfilled, payment_submitted, payment_successful, payment_failed, 3ds_authentication and resized.`,
      ],
      theScript,
      async () => toClassicScript(await readScript('card-form'), service),
      SCRIPT_HEADERS,
    ),
    script(
      '/sdk/checkout.js',
      [
        'checkoutScript',
        'Load the module that drives a checkout',
        'For a frontend of your own: startCheckout asks the identification and wait endpoints, tries again where that helps, and calls back once per action.',
      ],
      theModule,
      lastingModule('checkout-driver'),
    ),
    script(
      '/sdk/machine.js',
      [
        'machineSdk',
        'Load the script of the custom element plazo-machine',
        'A module that pages of any origin may load. The element shows the statechart and an order’s path.',
      ],
      theScript,
      lastingModule('machine-element'),
    ),
    script(
      '/sdk/plazo-checkout.css',
      [
        'checkoutElementStyle',
        'Load the style of the custom element',
        'Older browsers load it by themselves: Firefox before 101, and Safari before 16.4.',
      ],
      answer('The style sheet.', text('text/css')),
      () => readStyle('checkout/script/style.css'),
      STYLE_HEADERS,
    ),
    script(
      '/sdk/plazo-checkout.js',
      [
        'checkoutElementScript',
        'Load the custom element of the whole checkout',
        'It defines <plazo-checkout order="…">, which shows every step in any page.',
      ],
      theModule,
      lastingModule('checkout-element'),
    ),
    route(`GET /${MODULES_PATH}/:script`, 'pageScript', 'Load a script of one of plazo’s pages', {
      access: FRONTEND,
      description: 'The pages name it, with a version that changes with its text.',
      ok: theScript,
      problems: { 404: 'No page has this script.' },
      handle: async (_access, _body, c) => {
        const module = await findScript(c.req.param('script') ?? '')
        return module === undefined
          ? problem(c, 404, 'Script not found.')
          : c.body(module.body, 200, MODULE_HEADERS)
      },
    }),
    route('GET /favicon.svg', 'favicon', 'Load the icon of all pages', {
      access: SERVICE,
      ok: answer('The icon.', text('image/svg+xml')),
      handle: (_access, _body, c) =>
        c.body(ICON, 200, {
          'content-type': 'image/svg+xml',
          'cache-control': 'public, max-age=86400',
        }),
    }),
  ]
}
