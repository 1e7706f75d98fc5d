// Writes the graph in Mermaid, which code-hosting sites and editors render inside a page of text.
import {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
  type NamedGuard,
  type Trigger,
} from './graph.ts'

const idOf = (state: string): string => state.replaceAll('.', '_')

// In Mermaid a colon or a semicolon ends a label, and a quote ends a quoted name.
const text = (words: string): string => words.replaceAll(/[;:]/g, ',').replaceAll('"', '’')

const stateLine = ({ id, name, caption, wait, section }: GraphState): string => {
  const words = [name, caption, wait === null ? null : `⇒ ${wait}`, section].filter(
    (part) => part !== null,
  )
  return `state "${words.map(text).join('<br/>')}" as ${idOf(id)}`
}

const indent = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? '' : `  ${line}`))

const linesInside = (graph: Graph, state: GraphState): readonly string[] => {
  const children = childStates(graph, state.id).map((child) => drawState(graph, child))
  if (state.kind === 'parallel')
    return children.flatMap((lines, index) => (index === 0 ? lines : ['--', ...lines]))
  const starts = initialStatesOf(graph).filter(({ of }) => of === state.id)
  return [...starts.map(({ at }) => `[*] --> ${idOf(at)}`), ...children.flat()]
}

const drawState = (graph: Graph, state: GraphState): readonly string[] =>
  state.kind === 'parallel' || state.kind === 'compound'
    ? [
        `state "${text(state.name)}" as ${idOf(state.id)} {`,
        ...indent(linesInside(graph, state)),
        '}',
      ]
    : [stateLine(state), ...(state.kind === 'final' ? [`${idOf(state.id)} --> [*]`] : [])]

/**
 * A Mermaid state diagram as text, which ends with a line break. Arrows between the same two states
 * are drawn as one.
 */
export const mermaidOf = (graph: Graph): string =>
  [
    'stateDiagram-v2',
    ...indent(
      graph.states
        .filter(({ parent }) => parent === null)
        .flatMap((root) => drawState(graph, root)),
    ),
    '',
    ...indent(
      arrowsOf(graph).map(
        ({ from, to, labels }) =>
          `${idOf(from)} --> ${idOf(to)} : ${labels.map(text).join('<br/>')}`,
      ),
    ),
    '',
  ].join('\n')

/**
 * The text between brackets on an arrow: `outcomeIs approved`, `in confirming and
 * merchantConfirmed`.
 */
export const guardText = (guard: NamedGuard): string => {
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

const triggerText = (trigger: Trigger): string => {
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
 * True if the transition has no guard but competes with guarded ones for the same trigger: it is
 * the fallback.
 */
const isFallback = ({ transitions }: Graph, { from, trigger, guard }: GraphTransition): boolean =>
  guard === null &&
  transitions.some(
    (other) =>
      other.guard !== null &&
      other.from === from &&
      triggerText(other.trigger) === triggerText(trigger),
  )

/** `code.submitted [codeIsRight]`, `after idResult`, `[otherwise]`. */
const transitionText = (graph: Graph, transition: GraphTransition): string => {
  const guardLabel = transition.guard === null ? '' : `[${guardText(transition.guard)}]`
  const words = [
    triggerText(transition.trigger),
    isFallback(graph, transition) ? '[otherwise]' : guardLabel,
  ]
  return words.filter((word) => word !== '').join(' ')
}

/**
 * One arrow for each pair of states, labelled with all transitions between them. Transitions
 * without target are left out.
 */
export const arrowsOf = (graph: Graph) => {
  const arrows = new Map<
    string,
    { readonly from: string; readonly to: string; readonly labels: readonly string[] }
  >()
  for (const transition of graph.transitions) {
    if (transition.to === null) continue
    const { from, to } = transition
    const key = `${from} ${to}`
    arrows.set(key, {
      from,
      to,
      labels: [...(arrows.get(key)?.labels ?? []), transitionText(graph, transition)],
    })
  }
  return [...arrows.values()]
}

/**
 * The compound states that can start at their initial state. States that are only entered at an
 * inner state are left out.
 */
const initialStatesOf = (graph: Graph): readonly { readonly of: string; readonly at: string }[] => {
  const targets = new Set(graph.transitions.flatMap(({ to }) => (to === null ? [] : [to])))
  const startsAtInitial = (state: GraphState): boolean => {
    const parent = graph.states.find(({ id }) => id === state.parent)
    return (
      targets.has(state.id) ||
      parent === undefined ||
      parent.kind === 'parallel' ||
      (parent.initial === state.id && startsAtInitial(parent))
    )
  }
  return graph.states.flatMap((state) =>
    state.initial !== null && startsAtInitial(state) ? [{ of: state.id, at: state.initial }] : [],
  )
}
