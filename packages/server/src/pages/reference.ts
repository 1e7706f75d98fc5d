// The reference page shows the document to people. It is rendered once, without a script, and its policy allows only its own
// style.
import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { yieldToEventLoop } from '../http/chunked-json.ts'
import type { OpenApiDocument, PathsObject } from '../openapi/document-types.ts'
import type { Markup } from './console-page.ts'
import { type Call, operationItem, refusalItem } from './reference-operation.ts'
import { describeSchema, schemaAnchor, schemaBody } from './reference-schema.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --paper: #fff; --ink: #111; --line: #8886; --quiet: #595959; --accent: #1d4ed8; --shade: #f3f4f6 }
  @media (prefers-color-scheme: dark) { :root { --paper: #121212; --ink: #f2f2f2; --quiet: #b4b4b4; --accent: #93b4fd; --shade: #1f1f1f } }
  html { scroll-padding-top: 1rem }
  body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); overflow-wrap: anywhere }
  h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem }
  h2 { font-size: 1.375rem; margin: 3rem 0 .5rem; border-bottom: 2px solid var(--line) }
  h3 { font-size: 1.125rem; margin: 0 }
  h4 { font-size: 1rem; margin: 1rem 0 .25rem }
  p { margin: .25rem 0 }
  a { color: var(--accent) }
  code, pre { font-family: ui-monospace, monospace; font-size: .9375em }
  pre { white-space: pre-wrap; background: var(--shade); padding: .75rem; margin: .25rem 0 .75rem; border-radius: .375rem }
  ul { margin: 0; padding: 0; list-style: none }
  nav ul ul { padding-inline-start: 1rem }
  nav a { display: inline-block; padding: .125rem 0 }
  article { margin: 1.5rem 0; padding-top: 1rem; border-top: 1px solid var(--line) }
  .call code { font-weight: 600 }
  .fields li, .answers > li, .alternatives > li, .list > li { padding: .25rem 0 }
  .fields .fields, .answers .fields, .alternatives .fields { padding-inline-start: 1rem; border-inline-start: 2px solid var(--line) }
  .name { font-weight: 600 }
  .type, .said, .media, .label { color: var(--quiet) }
  .said::before { content: "· " }
  summary { cursor: pointer; padding: .25rem 0 }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  :target { scroll-margin-top: 1rem }`

const calls = (paths: PathsObject): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )

const anchorOf = (name: string): string => name.toLowerCase()

/** A checkout from its order to its end; shown only if the document has every operation that it needs. */
const CHECKOUT_CALLS: readonly (readonly [operation: string, sample: number])[] = [
  ['placeOrder', 1],
  ['identify', 0],
  ['identify', 1],
  ['advanceClock', 1],
  ['identify', 0],
  ['advanceClock', 0],
  ['wait', 0],
]

const checkoutSample = (all: readonly Call[]): Markup | '' => {
  const lines = CHECKOUT_CALLS.flatMap(([id, index]) => {
    const call = all.find(({ operation }) => operation.operationId === id)
    return call?.operation['x-codeSamples']?.[index]?.source ?? []
  })
  return lines.length < CHECKOUT_CALLS.length
    ? ''
    : html`<h2 id="walk">A whole checkout</h2>
<p>Paste this into a shell. It places an order, submits the shopper’s data and the code, and advances the clock past the screening. Then the demo merchant confirms the order.</p>
<pre><code>${lines.join('\n')}</code></pre>`
}

const contents = (
  sections: readonly Section[],
  extra: readonly (readonly [string, string])[],
): Markup => html`<nav aria-labelledby="contents">
<h2 id="contents">Contents</h2>
<ul role="list">
${sections.map(
  ({ name, calls }) => html`<li><a href="#${anchorOf(name)}">${name}</a>
<ul role="list">
${calls.map(
  ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>
`,
)}</ul></li>
`,
)}${extra.map(
  ([id, title]) => html`<li><a href="#${id}">${title}</a></li>
`,
)}</ul>
</nav>`

type Section = { readonly name: string; readonly description: string; readonly calls: readonly Call[] }

// Renders piece by piece, with the event loop free in between.
const renderEach = async <A>(
  all: readonly A[],
  markup: (one: A) => Markup | Promise<Markup>,
): Promise<readonly Markup[]> => {
  const rendered: Markup[] = []
  for (const one of all) {
    await yieldToEventLoop()
    rendered.push(await markup(one))
  }
  return rendered
}

const section =
  (document: OpenApiDocument) =>
  async ({ name, description, calls: own }: Section): Promise<Markup> =>
    html`<section aria-labelledby="${anchorOf(name)}">
<h2 id="${anchorOf(name)}">${name}</h2>
<p>${description}</p>
${await renderEach(own, (call) => operationItem(document, call))}
</section>
`

const body = async (document: OpenApiDocument): Promise<Markup> => {
  const { info, servers, tags, components } = document
  const all = [...calls(document.paths), ...calls(document.webhooks)]
  const sections = tags.map(
    ({ name, description }): Section => ({
      name,
      description,
      calls: all.filter(({ operation }) => operation.tags.includes(name)),
    }),
  )
  const whatElse = [
    ['refusals', 'Common errors'],
    ['schemas', 'Schemas'],
  ] as const
  return html`<header>
<h1>${info.title}</h1>
<p>${info.description}</p>
<p>On this server at <code>${servers[0]?.url ?? ''}</code>; as a document for programs: <a href="openapi.json">openapi.json</a>.</p>
<p>The curl examples use shell variables such as <code>$TOKEN</code> for values that change. The example that places an order sets <code>$ORDER</code>.</p>
</header>
${contents(sections, whatElse)}
<main>
${checkoutSample(all)}
${await renderEach(sections, section(document))}
<section aria-labelledby="refusals">
<h2 id="refusals">Common errors</h2>
<ul class="list" role="list">
${Object.entries(components.responses).map(([name, it]) => refusalItem(components.schemas, name, it))}</ul>
</section>
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${await renderEach(
  Object.entries(components.schemas),
  ([name, schema]) => html`<article id="${schemaAnchor(name)}" aria-labelledby="${schemaAnchor(name)}-title">
<h3 id="${schemaAnchor(name)}-title">${name}</h3>
${describeSchema(schema)}${schemaBody(schema)}
</article>
`,
)}</section>
</main>`
}

type ReferencePage = { readonly body: string /** A policy's directives. */; readonly sources: string }

export const referencePage = async (document: OpenApiDocument): Promise<ReferencePage> => {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}: reference</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${await body(document)}
</body>
</html>
`
  // Caches keep this page, so it cannot have a nonce, which must be used once. The policy names its style by a hash.
  const hash = createHash('sha256').update(STYLE).digest('base64')
  return { body: page.toString(), sources: `style-src 'sha256-${hash}'` }
}
