// Renders one operation of the document for a reader: the call, what goes in, what comes back, and
// lines to paste.
import type { JsonSchema } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'
import type * as route from '../../http/route.ts'
import type { OpenApiDocument } from './openapi/document.ts'
import type { OperationObject } from './openapi/operation-object.ts'
import { contentBody, joinMarkup, type Schemas, typeOf } from './schema-page.ts'

// Its members are described once, among the schemas.
const PROBLEM = 'application/problem+json'
type ContentObject = route.ContentObject<JsonSchema>
type ResponseObject = route.ResponseObject<JsonSchema>
type ParameterObject = NonNullable<OperationObject['parameters']>[number]

const RESPONSES = '#/components/responses/'

const pretty = (mediaType: string, value: unknown): string =>
  mediaType === 'application/json'
    ? JSON.stringify(value, null, 2)
    : new URLSearchParams(value as Record<string, string>).toString()

/** The browser's script adds a button that copies the text. */
export const codeBlock = (label: string, text: string): Markup => html`<div class="code">
<p class="label">${label}</p>
<pre><code>${text}</code></pre></div>`

const examples = (content: ContentObject): Markup =>
  html`${Object.entries(content).map(([mediaType, media]) =>
    Object.entries(media.examples ?? {}).map(
      ([name, { value }]) => html`<details><summary>Example: ${name}</summary>
${codeBlock(mediaType, pretty(mediaType, value))}</details>\n`,
    ),
  )}`

const contents = (schemas: Schemas, content: ContentObject): Markup =>
  html`${Object.entries(content).map(
    ([mediaType, { schema }]) => html`<p class="media"><code>${mediaType}</code></p>
${schema === undefined ? '' : mediaType === PROBLEM ? html`<p class="type">${typeOf(schema)}</p>` : contentBody(schemas, schema)}
`,
  )}`

const parameter = ({
  name,
  in: place,
  required,
  description,
  schema,
}: ParameterObject): Markup => html`<li>
<p><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>, in the ${place}${
  required && html` <strong>required</strong>`
} <span class="said">${description}</span></p></li>
`

const response = (
  schemas: Schemas,
  statuses: string,
  { description, headers, content }: ResponseObject,
): Markup =>
  html`<li>
<p><strong class="status">${statuses}</strong> ${description}</p>
${
  headers &&
  html`<ul class="fields" role="list">
${Object.entries(headers).map(
  ([name, it]) =>
    html`<li><p><code class="name">${name}</code> <span class="said">${it.description}</span></p></li>\n`,
)}</ul>`
}
${content && html`${contents(schemas, content)}${examples(content)}`}
</li>
`

const refusals = (responses: OperationObject['responses']): Markup | false => {
  const links = Object.entries(responses).flatMap(([status, it]) => {
    if (!('$ref' in it)) return []
    const name = it.$ref.slice(RESPONSES.length)
    return html`<a href="#refusal-${name}">${status === 'default' ? 'anything else' : status}</a>`
  })
  return (
    links.length > 0 && html`<p class="refusals">Common errors: ${joinMarkup(links, ', ')}.</p>`
  )
}

// Statuses with the same meaning are listed together.
const ownResponses = (
  schemas: Schemas,
  responses: OperationObject['responses'],
): readonly Markup[] => {
  const groups = new Map<string, { readonly statuses: string[]; readonly it: ResponseObject }>()
  for (const [status, it] of Object.entries(responses)) {
    if ('$ref' in it) continue
    const group = groups.get(JSON.stringify(it)) ?? { statuses: [], it }
    group.statuses.push(status === 'default' ? 'else' : status)
    groups.set(JSON.stringify(it), group)
  }
  return [...groups.values()].map(({ statuses, it }) => response(schemas, statuses.join(', '), it))
}

export const refusalItem = (schemas: Schemas, name: string, it: ResponseObject): Markup =>
  html`<li id="refusal-${name}"><p><strong>${name}</strong> ${it.description}</p>${contents(schemas, it.content ?? {})}</li>
`

export type Call = {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/** `path`: as in the document; for a webhook, its name. */
export const operationItem = (
  { components: { schemas } }: OpenApiDocument,
  { method, path, operation }: Call,
): Markup => {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const samples = operation['x-codeSamples']
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title">${summary} <a class="anchor" href="#${operationId}" aria-label="Link to: ${summary}">#</a></h3>
<p class="call"><code><b>${method.toUpperCase()}</b> ${path}</code></p>
${description && html`<p>${description}</p>`}
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4>
<ul class="fields" role="list">
${parameters.map(parameter)}</ul>`
}
${
  requestBody &&
  html`<h4>Body</h4>
${requestBody.description && html`<p>${requestBody.description}</p>`}
${contents(schemas, requestBody.content)}
${samples === undefined && examples(requestBody.content)}`
}
<h4>Answers</h4>
<ul class="answers" role="list">
${ownResponses(schemas, responses)}
</ul>
${refusals(responses)}
${samples && html`<h4>Try it</h4>\n${samples.map(({ label, source }) => codeBlock(label, source))}`}
</article>
`
}
