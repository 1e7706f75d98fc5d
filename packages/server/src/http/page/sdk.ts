// The files that browsers load: the scripts, style sheets and icon of plazo's own pages, and what a
// shop's page includes from here, at paths that last. Contract §11.
import { Hono } from 'hono'
import { problem } from '../problem.ts'
import type { Services } from '../services.ts'
import {
  findScript,
  MODULES_PATH,
  readScript,
  readStyle,
  toClassicScript,
} from './browser-files.ts'

/** Modules at lasting paths, by their files in `/sdk`. They drive or show a checkout, or an order. */
const LASTING_MODULES = {
  'checkout.js': 'checkout-driver',
  'machine.js': 'machine-element',
  'plazo-checkout.js': 'checkout-element',
}

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

export const sdkFiles = ({ host }: Pick<Services, 'host'>): Hono => {
  const files = new Hono()
  files.get('/favicon.svg', (c) =>
    c.body(ICON, 200, {
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=86400',
    }),
  )
  // The script's global has the service's name. Contract §11, Card form.
  files.get('/sdk/card-form.js', async (c) => {
    const script = toClassicScript(await readScript('card-form'), host.terms.names.service)
    return c.body(script, 200, SCRIPT_HEADERS)
  })
  // Browsers without constructable style sheets load it: Firefox before 101, Safari before 16.4.
  files.get('/sdk/plazo-checkout.css', async (c) =>
    c.body(await readStyle('elements/checkout/style.css'), 200, STYLE_HEADERS),
  )
  files.get(`/${MODULES_PATH}/:script`, async (c) => {
    const script = await findScript(c.req.param('script'))
    return script === undefined
      ? problem(c, 404, 'Script not found.')
      : c.body(script.body, 200, MODULE_HEADERS)
  })
  for (const [file, name] of Object.entries(LASTING_MODULES))
    files.get(`/sdk/${file}`, async (c) => {
      // The path of what it exports again changes with the code.
      const { path } = await readScript(name)
      return c.body(`export * from './${path.slice('sdk/'.length)}'\n`, 200, MODULE_HEADERS)
    })
  return files
}
