// The files that browsers load: what plazo's own pages link, and what a shop's page includes from
// here, at paths that last. Contract §11.
import { Hono } from 'hono'
import { problem } from '../problem.ts'
import type { Services } from '../services.ts'
import { loadBrowserFiles, readBrowserFile } from './browser-files.ts'

/** Modules at lasting paths, by their files in `/sdk`. They drive or show a checkout, or an order. */
const LASTING_MODULES = {
  'checkout.js': 'checkout-driver.js',
  'machine.js': 'machine-element.js',
  'plazo-checkout.js': 'checkout-element.js',
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

export const sdkFiles = ({ host }: Services): Hono => {
  const files = new Hono()
  files.get('/favicon.svg', (c) =>
    c.body(ICON, 200, {
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=86400',
    }),
  )
  // A classic script in a function of its own, whose parameter is the constant that it declares. Its
  // global has the service's name. Contract §11, Card form.
  files.get('/sdk/card-form.js', async (c) => {
    const { body } = await readBrowserFile('card-form.js')
    const service = JSON.stringify(host.terms.names.service)
    return c.body(`((SERVICE) => {\n${body}\n})(${service})\n`, 200, SCRIPT_HEADERS)
  })
  // Browsers without constructable style sheets load it: Firefox before 101, Safari before 16.4.
  files.get('/sdk/plazo-checkout.css', async (c) => {
    const { body } = await readBrowserFile('elements/checkout/style.css')
    return c.body(body, 200, STYLE_HEADERS)
  })
  files.get('/assets/:file{.+}', async (c) => {
    const requested = c.req.param('file')
    const file = (await loadBrowserFiles()).get(requested.replace(/\.\w{16}(?=\.\w+$)/, ''))
    if (file === undefined) return problem(c, 404, 'File not found.')
    const headers = requested.endsWith('.css') ? STYLE_HEADERS : MODULE_HEADERS
    // During an upgrade, a page of another version gets this version's file. Nobody keeps it.
    const isSame = file.path.endsWith(`/${requested}`)
    const cacheControl = isSame ? 'public, max-age=31536000, immutable' : 'no-store'
    return c.body(file.body, 200, { ...headers, 'cache-control': cacheControl })
  })
  for (const [file, name] of Object.entries(LASTING_MODULES))
    files.get(`/sdk/${file}`, async (c) => {
      // The path of what it exports again changes with the code.
      const { path } = await readBrowserFile(name)
      return c.body(`export * from '../${path}'\n`, 200, MODULE_HEADERS)
    })
  return files
}
