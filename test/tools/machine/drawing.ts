// Decides what a picture of a region shows: which states are boxes, which transitions are arrows,
// and which are lines of text in a state. Many arrows into the same few endings cannot be followed,
// so those are text.
import {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
} from '@plazo/core/internal'
import type { Line, Tone } from './arrangement.ts'
import { stateTitle } from './machine-map.ts'
import { textWidth, wrapText } from './text-width.ts'
import { transitionWords } from './transition-words.ts'

export const SIZES = { title: 12, text: 10.5, small: 10, line: 15, padding: 10 } as const

const CAPTION_LETTERS = 22

/**
 * A graph as it is drawn. `endings`: states that no arrow leads to, and their box. `origin`: the
 * state in the machine that a transition leaves, if the picture shows it at another.
 */
export type DrawnGraph = Omit<Graph, 'transitions'> & {
  readonly endings: ReadonlySet<string>
  readonly transitions: readonly (GraphTransition & { readonly origin: string })[]
}

/**
 * A box that contains all but the endings says nothing: its transitions become those of the region.
 */
export const drawnGraphOf = (graph: Graph): DrawnGraph => {
  const endings = endingsOf(graph)
  const [only, ...others] = childStates(graph, graph.id).filter(
    ({ id, kind }) => kind === 'compound' && !endings.has(id),
  )
  const hidden = others.length === 0 ? only?.id : undefined
  const shownAt = (id: string): string => (id === hidden ? graph.id : id)
  return {
    id: graph.id,
    endings,
    states: graph.states
      .filter(({ id }) => id !== hidden)
      .map((state) => ({ ...state, parent: state.parent === null ? null : shownAt(state.parent) })),
    transitions: graph.transitions.map((transition) => ({
      ...transition,
      from: shownAt(transition.from),
      origin: transition.from,
    })),
  }
}

/**
 * A box whose states nothing leaves: many arrows lead there, so they are chips in the states that
 * they leave.
 */
const endingsOf = (graph: Graph): ReadonlySet<string> => {
  const boxes = graph.states.filter(({ id, kind }) => {
    const inside = childStates(graph, id)
    return (
      kind === 'compound' &&
      inside.length > 1 &&
      inside.every((state) => !graph.transitions.some(({ from }) => from === state.id)) &&
      !graph.transitions.some(({ from }) => from === id)
    )
  })
  return new Set(
    boxes.flatMap(({ id }) => [id, ...childStates(graph, id).map((state) => state.id)]),
  )
}

const isBox = (graph: Graph, id: string): boolean => childStates(graph, id).length > 0

const isChip = (graph: DrawnGraph, { from, to }: GraphTransition): boolean =>
  to !== null && (graph.endings.has(to) || isBox(graph, from) || from === to)

/** A transition that is written in its state instead of drawn as an arrow: `arrow` is `from to`. */
type Chip = {
  readonly arrow: string
  readonly to: string
  readonly name: string
  readonly tone: Tone
  readonly words: readonly string[]
}

/** Chips of a state: transitions into an ending, and all transitions of a whole box. */
export const chipsOf = (graph: DrawnGraph, id: string): readonly Chip[] => {
  const chips = new Map<string, Chip>()
  for (const transition of graph.transitions) {
    if (transition.from !== id || transition.to === null || !isChip(graph, transition)) continue
    const existing = chips.get(transition.to)
    const words = transitionWords(graph, transition)
    const { to } = transition
    chips.set(to, {
      to,
      arrow: `${transition.origin} ${to}`,
      name: stateTitle(graph, to),
      tone: toneOf(graph, to),
      words: [...(existing?.words ?? []), words],
    })
  }
  return [...chips.values()]
}

const TONES: { readonly [wait: string]: Tone } = {
  finish: 'good',
  reject: 'bad',
  show_conflict: 'bad',
  show_error: 'bad',
}

export const toneOf = (graph: Graph, id: string): Tone =>
  TONES[graph.states.find((state) => state.id === id)?.wait ?? ''] ?? 'plain'

const CHIP_LETTERS = 22

const chipLines = (chips: readonly Chip[]): readonly Line[] =>
  chips.flatMap(({ to, arrow, name, tone, words }) =>
    wrapText(`${name} ${words.join(', ')}`, CHIP_LETTERS).map((text, index) => ({
      text: index === 0 ? text.slice(name.length).trimStart() : text,
      style: 'chip' as const,
      to,
      arrow,
      name: index === 0 ? name : null,
      tone,
    })),
  )

export const linesOf = (graph: DrawnGraph, state: GraphState): readonly Line[] => [
  { text: stateTitle(graph, state.id), style: state.kind === 'passing' ? 'passing' : 'title' },
  ...wrapText(state.caption ?? '', CAPTION_LETTERS).flatMap((text) =>
    text === '' ? [] : [{ text, style: 'caption' as const }],
  ),
  ...(isShared(graph, state) ? [] : metaLines(state)),
  ...chipLines(chipsOf(graph, state.id)),
]

const CHIP_INDENT = 12

const widthOf = (line: Line): number => {
  const { text, style } = line
  if (line.style === 'chip')
    return (
      CHIP_INDENT +
      textWidth(text, SIZES.small) +
      (line.name === null ? 0 : textWidth(`${line.name} `, SIZES.small, 'bold'))
    )
  if (style === 'title' || style === 'box') return textWidth(text, SIZES.title, 'bold')
  return textWidth(
    text,
    style === 'caption' ? SIZES.text : SIZES.small,
    style === 'wait' ? 'mono' : 'regular',
  )
}

export const sizeOf = (
  lines: readonly Line[],
): { readonly width: number; readonly height: number } => ({
  width: Math.max(...lines.map(widthOf)) + 2 * SIZES.padding,
  height: lines.length * SIZES.line + 2 * SIZES.padding - 4,
})

const metaLines = ({ wait, section }: Pick<GraphState, 'wait' | 'section'>): readonly Line[] => [
  ...(wait === null ? [] : [{ text: wait, style: 'wait' as const }]),
  ...(section === null ? [] : [{ text: section, style: 'section' as const }]),
]

/** All states of the box answer the same: the box says it once. */
const isShared = (graph: Graph, { parent, wait, section }: GraphState): boolean =>
  wait !== null &&
  childStates(graph, parent ?? '').every(
    (state) => state.wait === wait && state.section === section,
  )

export const boxLines = (graph: DrawnGraph, state: GraphState): readonly Line[] => [
  { text: stateTitle(graph, state.id), style: 'box' },
  ...childStates(graph, state.id)
    .filter((child) => isShared(graph, child))
    .slice(0, 1)
    .flatMap(metaLines),
  ...chipLines(chipsOf(graph, state.id)),
]

export type Arrow = {
  readonly from: string
  readonly to: string
  readonly words: readonly string[]
}

/** One arrow for each pair of states, with the words of all its transitions. */
export const arrowsOf = (graph: DrawnGraph): readonly Arrow[] => {
  const arrows = new Map<string, Arrow>()
  for (const transition of graph.transitions) {
    const { from, to } = transition
    if (to === null || isChip(graph, transition)) continue
    const key = `${from} ${to}`
    arrows.set(key, {
      from,
      to,
      words: [...(arrows.get(key)?.words ?? []), transitionWords(graph, transition)],
    })
  }
  return [...arrows.values()]
}

/**
 * The arrows that lead back up. The layout draws each arrow downwards, so it gets these the other
 * way round. Whether an arrow leads back is decided between the boxes, or states, that contain its
 * ends and lie side by side.
 */
export const backArrows = (graph: Graph, arrows: readonly Arrow[]): ReadonlySet<Arrow> => {
  const parents = new Map(graph.states.map(({ id, parent }) => [id, parent]))
  const pathOf = (id: string): readonly string[] => {
    const parent = parents.get(id)
    return parent === null || parent === undefined ? [id] : [...pathOf(parent), id]
  }
  const ends = arrows.map((arrow) => {
    const from = pathOf(arrow.from)
    const to = pathOf(arrow.to)
    const level = from.findIndex((id, index) => id !== to[index])
    return { arrow, from: from[level] ?? arrow.from, to: to[level] ?? arrow.to }
  })
  const back = new Set<Arrow>()
  const done = new Set<string>()
  const visit = (id: string, above: readonly string[]): void => {
    if (done.has(id)) return
    done.add(id)
    for (const end of ends) {
      if (end.from !== id || end.from === end.to) continue
      if (above.includes(end.to) || end.to === id) back.add(end.arrow)
      else visit(end.to, [...above, id])
    }
  }
  for (const { id } of graph.states) visit(id, [])
  return back
}
