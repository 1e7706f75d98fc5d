// The frame of the operator's pages. It has no script, only its own style, and its forms post only to this origin.
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pageHeaders } from '../http/browser-security.ts'

export type Markup = ReturnType<typeof html>

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --paper: #fff; --ink: #111; --line: #8886; --quiet: #595959; --accent: #1d4ed8; --final: #b91c1c }
  @media (prefers-color-scheme: dark) { :root { --paper: #121212; --ink: #f2f2f2; --quiet: #b4b4b4; --accent: #93b4fd; --final: #fca5a5 } }
  body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
  h2 { font-size: 1.125rem; margin: 2rem 0 .5rem }
  h3 { font-size: 1rem; margin: 0 }
  p { margin: .25rem 0 }
  a { color: var(--accent) }
  dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.5rem; margin: 0 }
  dt { color: var(--quiet) }
  dd { margin: 0 }
  code { font-family: ui-monospace, monospace; font-size: .9375em }
  ol { list-style: none; margin: 0; padding: 0 }
  li { display: grid; grid-template-columns: 13rem 1fr; gap: 0 1.5rem; padding: .5rem 0; border-top: 1px solid var(--line) }
  li p { margin: 0 }
  li time, .quiet { color: var(--quiet) }
  form { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem }
  .decisions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 1rem }
  label { display: flex; gap: .5rem; align-items: center; min-height: 2.75rem }
  input[type=checkbox] { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: 0 }
  input:not([type=checkbox]) { font: inherit; box-sizing: border-box; inline-size: 100%; min-height: 2.75rem; padding: .5rem; border: 1px solid var(--quiet); border-radius: .375rem; background: none; color: inherit }
  button { font: inherit; min-height: 2.75rem; padding: .5rem 1rem; margin-top: .5rem; border: 2px solid var(--accent); border-radius: .375rem; background: none; color: var(--accent); cursor: pointer }
  .final button { border-color: var(--final); color: var(--final) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  [role=alert] { border-inline-start: .25rem solid var(--final); padding: .25rem 1rem; margin: 0 0 1rem }
  @media (max-width: 40rem) {
    dl { grid-template-columns: 1fr; gap: 0 }
    dd { margin-bottom: .5rem }
    li { grid-template-columns: 1fr }
    button { width: 100% }
  }`

/** `body` is placed inside `main`. */
export const consolePage = async (
  c: Context,
  title: string,
  body: Markup,
  status: ContentfulStatusCode = 200,
): Promise<Response> => {
  const nonce = randomBytes(16).toString('base64')
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${raw(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  return c.html(page, status, {
    ...pageHeaders(`style-src 'nonce-${nonce}'; form-action 'self'`),
    // Under no-referrer a form's Origin would be sent as null, and be refused as a foreign one.
    'referrer-policy': 'same-origin',
  })
}

export const errorPage = (c: Context, status: ContentfulStatusCode, detail: string): Promise<Response> =>
  consolePage(c, detail, html`<h1>${detail}</h1>`, status)
