// Writes the graph in SCXML 1.0, for tools that check or run statecharts. Guards and assignments
// become calls of functions, which the host must provide under the same names. Effects become
// `send`, and captions become attributes of our own.
import {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
  type NamedAction,
  type NamedGuard,
  type Params,
} from './graph.ts'

type Element = {
  readonly tag: string
  readonly attributes: { readonly [name: string]: string | null }
  readonly children: readonly (Element | string)[]
}

const element = (
  tag: string,
  attributes: Element['attributes'],
  children: Element['children'] = [],
): Element => ({
  tag,
  attributes,
  children,
})

const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const render = (node: Element | string, indent: string): string => {
  if (typeof node === 'string') return `${indent}${escapeXml(node)}`
  const attributeTexts = Object.entries(node.attributes).flatMap(([name, value]) =>
    value === null ? [] : [` ${name}="${escapeXml(value)}"`],
  )
  const opening = `${indent}<${node.tag}${attributeTexts.join('')}`
  if (node.children.length === 0) return `${opening}/>`
  const [only] = node.children
  if (node.children.length === 1 && typeof only === 'string')
    return `${opening}>${escapeXml(only)}</${node.tag}>`
  return [
    `${opening}>`,
    ...node.children.map((child) => render(child, `${indent}  `)),
    `${indent}</${node.tag}>`,
  ].join('\n')
}

const literal = (value: string): string =>
  `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const call = (name: string, params: Params): string =>
  `${name}(${Object.values(params).map(literal).join(', ')})`

const condition = (guard: NamedGuard): string => {
  switch (guard.type) {
    case 'named':
      return call(guard.name, guard.params)
    case 'in':
      return `In(${literal(guard.state)})`
    case 'not':
      return `!(${guard.of.map(condition).join(' && ')})`
    case 'and':
      return guard.of
        .map((one) => (one.type === 'or' ? `(${condition(one)})` : condition(one)))
        .join(' && ')
    case 'or':
      return guard.of.map(condition).join(' || ')
  }
}

const actionElement = ({ type, name, params, event }: NamedAction): Element => {
  switch (type) {
    case 'assignment':
      return element('script', {}, [call(name, params)])
    case 'raise':
      return element('raise', { event: event ?? name })
    case 'effect':
      return element(
        'send',
        { type: 'effect', event: name },
        Object.entries(params).map(([param, value]) =>
          element('param', { name: param, expr: literal(value) }),
        ),
      )
  }
}

/**
 * The name of a timer's event. As SCXML recommends, a state sends it to itself on entry and cancels
 * it on exit.
 */
const timerOf = (state: string, delay: string): string =>
  `after.${delay.replaceAll(' ', '')}.${state}`

const timerElement = (state: string, delay: string): Element => {
  const event = timerOf(state, delay)
  const dueAttributes: Element['attributes'] = /^\d+ ms$/.test(delay)
    ? { delay: delay.replace(' ', '') }
    : { delayexpr: `${delay}()` }
  return element('send', { id: event, event, ...dueAttributes })
}

const block = (tag: string, children: readonly Element[]): readonly Element[] =>
  children.length === 0 ? [] : [element(tag, {}, children)]

const eventOf = ({ from, trigger }: GraphTransition): string | null => {
  switch (trigger.type) {
    case 'event':
      return trigger.event
    case 'after':
      return timerOf(from, trigger.delay)
    case 'always':
      return null
  }
}

const transitionElement = (transition: GraphTransition): Element => {
  const { from, to, guard, reenter, actions } = transition
  return element(
    'transition',
    {
      event: eventOf(transition),
      cond: guard === null ? null : condition(guard),
      target: to,
      type: to?.startsWith(`${from}.`) && !reenter ? 'internal' : null,
    },
    actions.map(actionElement),
  )
}

const stateElement = (graph: Graph, state: GraphState): Element => {
  const { id, kind, initial, caption, section, wait, identification } = state
  const transitions = graph.transitions.filter(({ from }) => from === id)
  const allDelays = transitions.flatMap(({ trigger }) =>
    trigger.type === 'after' ? [trigger.delay] : [],
  )
  const delays = [...new Set(allDelays)]
  return element(
    kind === 'parallel' ? 'parallel' : 'state',
    {
      id,
      initial,
      'plazo:caption': caption,
      'plazo:section': section,
      'plazo:wait': wait,
      'plazo:identification': identification,
    },
    [
      ...block('onentry', [
        ...delays.map((delay) => timerElement(id, delay)),
        ...state.entry.map(actionElement),
      ]),
      ...block('onexit', [
        ...delays.map((delay) => element('cancel', { sendid: timerOf(id, delay) })),
        ...state.exit.map(actionElement),
      ]),
      ...transitions.map(transitionElement),
      ...childStates(graph, id).map((child) => stateElement(graph, child)),
    ],
  )
}

export const scxmlOf = (graph: Graph): string => {
  const roots = graph.states.filter(({ parent }) => parent === null)
  const document = element(
    'scxml',
    {
      xmlns: 'http://www.w3.org/2005/07/scxml',
      'xmlns:plazo': 'urn:plazo:machine',
      version: '1.0',
      datamodel: 'ecmascript',
      name: graph.id,
      initial: roots[0]?.id ?? null,
    },
    roots.map((root) => stateElement(graph, root)),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(document, '')}\n`
}
