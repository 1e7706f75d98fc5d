// The reference page shows the document to people. It is rendered once, and can be read without a
// script. Scripts add the search and the buttons that copy.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { html } from 'hono/html'
import { type Markup, type PageFrame, renderPage } from '../../http/page/page.ts'
import type { OpenApiDocument, PathsObject } from './openapi/document.ts'
import { type Call, codeBlock, operationItem, refusalItem } from './operation-page.ts'
import { describeSchema, schemaAnchor, schemaBody } from './schema-page.ts'

const calls = (paths: PathsObject): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )

const anchorOf = (name: string): string => name.toLowerCase()

/**
 * A checkout from its order to its end; shown only if the document has every operation that it
 * needs.
 */
const CHECKOUT_CALLS: readonly (readonly [operation: string, sample: number])[] = [
  ['placeOrder', 1],
  ['identify', 0],
  ['identify', 1],
  ['advanceClock', 1],
  ['identify', 0],
  ['advanceClock', 0],
  ['wait', 0],
]

const checkoutSample = (all: readonly Call[]): Markup | null => {
  const lines = CHECKOUT_CALLS.flatMap(([id, index]) => {
    const call = all.find(({ operation }) => operation.operationId === id)
    return call?.operation['x-codeSamples']?.[index]?.source ?? []
  })
  return lines.length < CHECKOUT_CALLS.length
    ? null
    : html`<h2 id="walk">A whole checkout</h2>
<p>Paste this into a shell. It places an order, submits the shopper’s data and the code, and advances the clock past the screening. Then the demo merchant confirms the order.</p>
${codeBlock('sh', lines.join('\n'))}`
}

const contents = (sections: readonly Section[], hasWalk: boolean): Markup => html`<ul role="list">
${sections.map(
  ({ name, calls }) => html`<li><a href="#${anchorOf(name)}">${name}</a>
<ul role="list">
${calls.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>\n`)}</ul></li>\n`,
)}${hasWalk && html`<li><a href="#walk">A whole checkout</a></li>`}
<li><a href="#refusals">Common errors</a></li>
<li><a href="#schemas">Schemas</a></li>
</ul>`

// The style hides the search where no script runs. A wide page shows the contents, even if they are
// closed on a narrow one.
const sidebar = (links: Markup): Markup => html`<div class="side">
<search>
<label for="find" class="unseen">Search</label>
<input id="find" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd>
<p id="count" role="status"></p>
<ul id="found" role="list"></ul>
</search>
<details><summary>Contents</summary>
<nav aria-label="Contents">
${links}
</nav></details>
</div>`

type Section = {
  readonly name: string
  readonly description: string
  readonly calls: readonly Call[]
}

// Renders piece by piece, with the event loop free in between.
const renderEach = async <A>(
  all: readonly A[],
  markup: (one: A) => Markup | Promise<Markup>,
): Promise<readonly Markup[]> => {
  const rendered: Markup[] = []
  for (const one of all) {
    await endOfTurn()
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

/** Always the same text for the same document, so that caches may keep it. */
export const referencePage = async (
  document: OpenApiDocument,
  frame: PageFrame | undefined,
): ReturnType<typeof renderPage> => {
  const { info, servers, tags, components } = document
  const all = [...calls(document.paths), ...calls(document.webhooks)]
  const sections = tags.map(
    ({ name, description }): Section => ({
      name,
      description,
      calls: all.filter(({ operation }) => operation.tags.includes(name)),
    }),
  )
  const walk = checkoutSample(all)
  const body = html`<h1 id="reference" tabindex="-1">${info.title}</h1>
<p>${info.description}</p>
<p>On this server at <code>${servers[0]?.url ?? ''}</code>; as a document for programs: <a href="openapi.json">openapi.json</a>.</p>
<p>The curl examples use shell variables such as <code>$TOKEN</code> for values that change. The example that places an order sets <code>$ORDER</code>.</p>
${walk}
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
  ([
    name,
    schema,
  ]) => html`<article id="${schemaAnchor(name)}" aria-labelledby="${schemaAnchor(name)}-title">
<h3 id="${schemaAnchor(name)}-title">${name}</h3>
${describeSchema(schema)}${schemaBody(schema)}
</article>\n`,
)}</section>`
  const title = `${info.title}: reference`
  const lead = html`<a class="skip" href="#reference">Skip to the reference</a>
${frame?.bar('docs', '')}
${sidebar(contents(sections, walk !== null))}`
  return renderPage(
    { title, styles: ['api/docs/style.css'], lead, body, scripts: ['reference'], isPublic: true },
    '',
  )
}
