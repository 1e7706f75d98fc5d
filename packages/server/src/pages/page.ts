// The frame of every small page that plazo shows to shoppers. Its policy runs only the page's own script.
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { pageHeaders } from '../http/browser-security.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; padding: 1rem; max-width: 26rem }
  label { display: block; margin: .75rem 0 }
  input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .5rem }
  button { font: inherit; padding: .5rem 1rem; margin: .5rem .5rem 0 0 }
  :focus-visible { outline: 3px solid #2563eb; outline-offset: 2px }
  [role=status] { min-height: 1.5em }
  [aria-invalid=true] { outline: 2px solid #c1121f }
  [hidden] { display: none }
  .choice { display: flex; gap: .5rem; align-items: center; min-height: 2.75rem }
  .choice input { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: 0 }
  button { min-height: 2.75rem }`

/** `body` may hold one `<script>`; it gets the nonce of this answer. */
export const page = (
  c: Context,
  body: string,
  { title = 'plazo sandbox', ...framing }: { readonly mayBeFramed?: boolean; readonly title?: string } = {},
): Response => {
  const nonce = randomBytes(16).toString('base64')
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style nonce="${nonce}">${STYLE}</style>${body.replace('<script>', `<script nonce="${nonce}">`)}</html>`,
    200,
    pageHeaders(
      `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; frame-src 'self'`,
      framing,
    ),
  )
}
