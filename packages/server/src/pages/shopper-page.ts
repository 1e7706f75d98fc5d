// The frame of the pages that shoppers see, in their language. It allows only our own style and scripts.
import { randomBytes } from 'node:crypto'
import type { Language } from '@plazo/core'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import { pageHeaders } from '../http/browser-security.ts'
import type { Markup } from './console-page.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --paper: #fff; --ink: #111; --line: #757575; --quiet: #595959; --accent: #1d4ed8; --on-accent: #fff; --wrong: #b91c1c }
  @media (prefers-color-scheme: dark) { :root { --paper: #121212; --ink: #f2f2f2; --line: #8c8c8c; --quiet: #b4b4b4; --accent: #93b4fd; --on-accent: #111; --wrong: #fca5a5 } }
  * { box-sizing: border-box }
  body { margin: 0 auto; padding: 1rem; max-width: 32rem; background: var(--paper); color: var(--ink); overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
  h2 { font-size: 1.25rem; line-height: 1.25; margin: 0 0 .5rem }
  p { margin: .25rem 0 }
  a { color: var(--accent) }
  form p { margin: 0 }
  fieldset { border: 0; padding: 0; margin: 1rem 0; min-width: 0 }
  legend { padding: 0; font-weight: 600 }
  label { font-weight: 600 }
  .field { margin: 1rem 0 }
  .hint, .quiet { color: var(--quiet); font-size: .875rem }
  .wrong { color: var(--wrong); font-size: .875rem; font-weight: 600 }
  input:not([type=checkbox], [type=radio]) { display: block; inline-size: 100%; min-block-size: 2.75rem; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: .375rem; background: none; color: inherit }
  input[aria-invalid=true] { border: 2px solid var(--wrong) }
  input[type=checkbox], input[type=radio] { inline-size: 1.25rem; block-size: 1.25rem; flex: none; margin: .25rem 0 0 }
  .choice { display: flex; gap: .75rem; align-items: start; min-block-size: 2.75rem; padding: .5rem 0; font-weight: 400 }
  .parts { display: grid; grid-template-columns: 1fr 1fr 2fr; gap: .75rem }
  .parts label { font-weight: 400 }
  button { font: inherit; font-weight: 600; min-block-size: 2.75rem; padding: .5rem 1.25rem; margin: .5rem .5rem 0 0; border: 2px solid var(--accent); border-radius: .375rem; background: var(--accent); color: var(--on-accent); cursor: pointer }
  button.other { background: none; color: var(--accent) }
  button:disabled { opacity: .6; cursor: progress }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  [role=alert]:not(:empty) { border-inline-start: .25rem solid var(--wrong); padding: .25rem 1rem; margin: 0 0 1rem }
  [hidden] { display: none !important }
  @media (max-width: 30rem) { button { inline-size: 100%; margin-inline-end: 0 } }`

type ShopperPage = {
  readonly language: Language
  readonly title: string
  /** The URLs of its scripts, which run in this order once the page is parsed. */
  readonly scripts: readonly string[]
  readonly body: Markup
  /** What the page may do in addition to showing itself, as directives of its policy. */
  readonly policy: readonly string[]
}

/** `body` is placed inside `main`. */
export const shopperPage = async (
  c: Context,
  { language, title, scripts, body, policy }: ShopperPage,
): Promise<Response> => {
  const nonce = randomBytes(16).toString('base64')
  const running = scripts.length > 0 ? [`script-src 'nonce-${nonce}'`] : []
  const page = await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${raw(STYLE)}</style>
${scripts.map((address) => html`<script src="${address}" nonce="${nonce}" defer></script>\n`)}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  return c.html(page, 200, {
    ...pageHeaders([`style-src 'nonce-${nonce}'`, ...running, ...policy, "form-action 'none'"].join('; ')),
    'content-language': language,
  })
}
