// Writes the graph in Mermaid, which code-hosting sites and editors render inside a page of text.
import {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
  type GraphTrigger,
  type NamedGuard,
} from './graph.ts'

const idOf = (state: string): string => state.replaceAll('.', '_')

// In Mermaid a colon or a semicolon ends a label, and a quote ends a quoted name.
const label = (words: readonly (string | null)[]): string =>
  words
    .filter((part) => part !== null)
    .join('<br/>')
    .replaceAll(/[;:]/g, ',')
    .replaceAll('"', '’')

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

/** `starts`: the state can be entered at its initial state. */
const drawState = (graph: Graph, state: GraphState, starts: boolean): readonly string[] => {
  const { kind, initial, name, caption, wait, section } = state
  const id = idOf(state.id)
  const inside = childStates(graph, state.id).map((child) => {
    const isTarget = graph.transitions.some(({ to }) => to === child.id)
    return drawState(
      graph,
      child,
      isTarget || kind === 'parallel' || (starts && initial === child.id),
    )
  })
  if (inside.length === 0) {
    const words = [name, caption, wait && `⇒ ${wait}`, section]
    return [`state "${label(words)}" as ${id}`, ...(kind === 'final' ? [`${id} --> [*]`] : [])]
  }
  const regions = inside.flatMap((lines, index) => (index === 0 ? lines : ['--', ...lines]))
  const start = initial === null || !starts ? [] : [`[*] --> ${idOf(initial)}`]
  return [
    `state "${label([name])}" as ${id} {`,
    ...indent([...start, ...(kind === 'parallel' ? regions : inside.flat())]),
    '}',
  ]
}

/**
 * A Mermaid state diagram as text, which ends with a line break. Arrows between the same two states
 * are drawn as one. `drawn`: the id of the state to draw with those inside it, such as the region
 * `risk`; by default the whole machine.
 *
 * @example
 * ```ts
 * console.log(mermaidOf(orderGraph, 'risk'))
 * ```
 */
export const mermaidOf = (graph: Graph, drawn: string = graph.id): string => {
  const isDrawn = (id: string) => drawn === graph.id || `${id}.`.startsWith(`${drawn}.`)
  const arrows = arrowsOf(graph).filter(({ from, to }) => isDrawn(from) && isDrawn(to))
  const lines = [
    ...graph.states
      .filter(({ id }) => id === drawn)
      .flatMap((state) => drawState(graph, state, true)),
    ...arrows.map(({ from, to, labels }) => `${idOf(from)} --> ${idOf(to)} : ${label(labels)}`),
  ]
  return ['stateDiagram-v2', ...indent(lines), ''].join('\n')
}

/**
 * The text between brackets on an arrow: `outcomeIs approved`, `in confirming and
 * merchantConfirmed`.
 */
const guardText = (guard: NamedGuard): string => {
  switch (guard.type) {
    case 'named':
      return [guard.name, ...Object.values(guard.params)].join(' ')
    case 'in':
      return `in ${guard.state.split('.').at(-1)}`
    case 'not':
      return `not (${guard.of.map(guardText).join(' ')})`
    case 'and':
    case 'or':
      return guard.of
        .map((one) => (one.type === 'or' ? `(${guardText(one)})` : guardText(one)))
        .join(` ${guard.type} `)
  }
}

const triggerText = (trigger: GraphTrigger): string => {
  switch (trigger.type) {
    case 'event':
      return trigger.event
    case 'after':
      return `after ${trigger.delay}`
    case 'always':
      return ''
  }
}

/**
 * `code.submitted [codeIsRight]`, `after idResult`. A transition without a guard is `[otherwise]` if
 * it competes with guarded ones for the same trigger.
 */
const transitionText = ({ transitions }: Graph, { from, trigger, guard }: GraphTransition) => {
  const words = triggerText(trigger)
  const isFallback = transitions.some(
    (other) => other.guard !== null && other.from === from && triggerText(other.trigger) === words,
  )
  const condition = guard === null ? isFallback && '[otherwise]' : `[${guardText(guard)}]`
  return [words, condition].filter(Boolean).join(' ')
}

type Arrow = { readonly from: string; readonly to: string; readonly labels: readonly string[] }

/**
 * One arrow for each pair of states, labelled with all transitions between them. Transitions
 * without target are left out.
 */
export const arrowsOf = (graph: Graph): readonly Arrow[] => {
  const arrows = new Map<string, Arrow>()
  for (const transition of graph.transitions) {
    const { from, to } = transition
    if (to === null) continue
    const key = `${from} ${to}`
    const labels = [...(arrows.get(key)?.labels ?? []), transitionText(graph, transition)]
    arrows.set(key, { from, to, labels })
  }
  return [...arrows.values()]
}
