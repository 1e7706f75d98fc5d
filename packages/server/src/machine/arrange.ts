// Computes where the states and arrows of the statechart go. It takes half a second and a large library, so it runs once, when
// the pictures are generated, and its result is committed: no page and no order's picture needs the library.
import { childStates, type Graph, type GraphState, type GraphTransition, graphWithin } from '@plazo/core/diagram'
import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs'
import type { Arrangement, Chip, Line, PlacedArrow, PlacedState, Point, Tone } from './arrangement.ts'
import { textWidth, wrapText } from './text-width.ts'
import { transitionWords } from './transition-words.ts'

export const SIZES = { title: 12, text: 10.5, small: 10, line: 15, padding: 10 } as const

const LABEL_LETTERS = 18
const CAPTION_LETTERS = 24

/** Draws one region of the graph: `checkout`, `risk` or `cancellation`. */
export const arrangeRegion = async (whole: Graph, region: string): Promise<Arrangement> => {
  const graph = withoutOnlyBox(graphWithin(whole, region))
  const endings = endingsOf(graph)
  const root = graph.states.find(({ id }) => id === region)
  if (root === undefined) throw new Error(`The statechart has no region ${region}.`)
  const arrows = arrowsOf(graph, endings)
  const back = backArrows(graph, arrows)
  const arranged = await new elk.default().layout({
    ...nodeOf(graph, endings, root),
    edges: arrows.map((arrow) => edgeOf(arrow, back.has(arrow))),
  })
  const drawn = placedIn(graph, endings, arranged, { x: 0, y: 0 }).filter(
    ({ id, kind }) => id !== region || kind === 'header',
  )
  const placed = arrowsIn(arranged, arrows, back)
  const top = chipsOf(graph, endings, region)
  return withEndings(graph, endings, {
    region,
    width: Math.ceil(arranged.width ?? 0),
    height: Math.ceil(arranged.height ?? 0),
    chips: top,
    states: drawn,
    arrows: placed,
  })
}

/** A box that contains all but the endings says nothing: its transitions become those of the region. */
const withoutOnlyBox = (graph: Graph): DrawnGraph => {
  const endings = endingsOf(graph)
  const boxes = childStates(graph, graph.id).filter(({ id, kind }) => kind === 'compound' && !endings.has(id))
  const [only, ...others] = boxes
  if (only === undefined || others.length > 0) return withOrigins(graph, (id) => id)
  return withOrigins(
    {
      ...graph,
      states: graph.states
        .filter(({ id }) => id !== only.id)
        .map((state) => (state.parent === only.id ? { ...state, parent: graph.id } : state)),
    },
    (id) => (id === only.id ? graph.id : id),
  )
}

/** `origin`: the state in the machine that the transition leaves, if the picture shows it at another. */
type DrawnGraph = Omit<Graph, 'transitions'> & {
  readonly transitions: readonly (GraphTransition & { readonly origin: string })[]
}

const withOrigins = (graph: Graph, shownAt: (id: string) => string): DrawnGraph => ({
  ...graph,
  transitions: graph.transitions.map((transition) => ({
    ...transition,
    from: shownAt(transition.from),
    origin: transition.from,
  })),
})

const leafName = (id: string): string => id.slice(id.lastIndexOf('.') + 1)

/** A box whose states nothing leaves: many arrows lead there, so they are chips in the states that they leave. */
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
  return new Set(boxes.flatMap(({ id }) => [id, ...childStates(graph, id).map((state) => state.id)]))
}

const isBox = (graph: Graph, id: string): boolean => childStates(graph, id).length > 0

const isChip = (graph: DrawnGraph, endings: ReadonlySet<string>, { from, to }: GraphTransition): boolean =>
  to !== null && (endings.has(to) || isBox(graph, from) || from === to)

/** Chips of a state: transitions into an ending, and all transitions of a whole box. */
const chipsOf = (graph: DrawnGraph, endings: ReadonlySet<string>, id: string): readonly Chip[] => {
  const chips = new Map<string, Chip>()
  for (const transition of graph.transitions) {
    if (transition.from !== id || transition.to === null || !isChip(graph, endings, transition)) continue
    const known = chips.get(transition.to)
    const words = transitionWords(graph, transition)
    const { to } = transition
    chips.set(to, {
      to,
      arrow: `${transition.origin} ${to}`,
      name: nameOf(graph, to),
      tone: toneOf(graph, to),
      words: [...(known?.words ?? []), words],
    })
  }
  return [...chips.values()]
}

/** States that share a name on the wire are told apart by their own. */
const nameOf = (graph: Graph, id: string): string => {
  const state = graph.states.find((each) => each.id === id)
  const isShared =
    graph.states.filter(({ wireName, kind }) => wireName === state?.wireName && kind === 'resting').length > 1
  return state === undefined || (isShared && state.kind === 'resting') ? leafName(id) : state.wireName
}

const TONES: { readonly [wait: string]: Tone } = {
  finish: 'good',
  reject: 'bad',
  show_conflict: 'bad',
  show_error: 'bad',
}

const toneOf = (graph: Graph, id: string): Tone =>
  TONES[graph.states.find((state) => state.id === id)?.wait ?? ''] ?? 'plain'

const CHIP_LETTERS = 25

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

const linesOf = (graph: DrawnGraph, endings: ReadonlySet<string>, state: GraphState): readonly Line[] => [
  { text: nameOf(graph, state.id), style: state.kind === 'resting' ? 'title' : 'passing' },
  ...wrapText(state.caption ?? '', CAPTION_LETTERS).flatMap((text) =>
    text === '' ? [] : [{ text, style: 'caption' as const }],
  ),
  ...(isShared(graph, state) ? [] : metaLines(state)),
  ...chipLines(chipsOf(graph, endings, state.id)),
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
  return textWidth(text, style === 'caption' ? SIZES.text : SIZES.small, style === 'wait' ? 'mono' : 'regular')
}

const sizeOf = (lines: readonly Line[]): { readonly width: number; readonly height: number } => ({
  width: Math.max(...lines.map(widthOf)) + 2 * SIZES.padding,
  height: lines.length * SIZES.line + 2 * SIZES.padding - 4,
})

const SPACING = {
  'elk.spacing.nodeNode': '20',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
}

const LAYERED = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.considerModelOrder.strategy': 'NONE',
  ...SPACING,
}

const nodeOf = (graph: DrawnGraph, endings: ReadonlySet<string>, state: GraphState): ElkNode => {
  const inside = childStates(graph, state.id).filter(({ id }) => !endings.has(id))
  if (inside.length === 0) return { id: state.id, ...sizeOf(linesOf(graph, endings, state)) }
  const isRoot = state.parent === null
  const header: ElkNode = {
    id: headerOf(state.id),
    ...sizeOf(boxLines(graph, endings, state)),
    layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
  }
  return {
    id: state.id,
    layoutOptions: {
      ...(isRoot ? LAYERED : SPACING),
      'elk.padding': isRoot ? '[top=8,left=8,bottom=8,right=8]' : '[top=10,left=14,bottom=14,right=14]',
    },
    children: [
      ...(isRoot && chipsOf(graph, endings, state.id).length === 0 ? [] : [header]),
      ...inside.map((child) => nodeOf(graph, endings, child)),
    ],
  }
}

const headerOf = (id: string): string => `${id} header`

const metaLines = ({ wait, section }: Pick<GraphState, 'wait' | 'section'>): readonly Line[] => [
  ...(wait === null ? [] : [{ text: wait, style: 'wait' as const }]),
  ...(section === null ? [] : [{ text: section, style: 'section' as const }]),
]

/** All states of the box answer the same: the box says it once. */
const isShared = (graph: Graph, { parent, wait, section }: GraphState): boolean =>
  wait !== null && childStates(graph, parent ?? '').every((state) => state.wait === wait && state.section === section)

const boxLines = (graph: DrawnGraph, endings: ReadonlySet<string>, state: GraphState): readonly Line[] => [
  { text: nameOf(graph, state.id), style: 'box' },
  ...childStates(graph, state.id)
    .filter((child) => isShared(graph, child))
    .slice(0, 1)
    .flatMap(metaLines),
  ...chipLines(chipsOf(graph, endings, state.id)),
]

type Arrow = { readonly from: string; readonly to: string; readonly words: readonly string[] }

/** One arrow for each pair of states, with the words of all its transitions. */
const arrowsOf = (graph: DrawnGraph, endings: ReadonlySet<string>): readonly Arrow[] => {
  const arrows = new Map<string, Arrow>()
  for (const transition of graph.transitions) {
    const { from, to } = transition
    if (to === null || isChip(graph, endings, transition)) continue
    const key = `${from} ${to}`
    arrows.set(key, { from, to, words: [...(arrows.get(key)?.words ?? []), transitionWords(graph, transition)] })
  }
  return [...arrows.values()]
}

/**
 * The arrows that lead back up. The layout draws each arrow downwards, so it gets these the other way round. Whether an arrow
 * leads back is decided between the boxes, or states, that contain its ends and lie side by side.
 */
const backArrows = (graph: Graph, arrows: readonly Arrow[]): ReadonlySet<Arrow> => {
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

const labelLines = (words: readonly string[]): readonly string[] =>
  words.flatMap((text) => wrapText(text, LABEL_LETTERS))

const edgeOf = ({ from, to, words }: Arrow, isBack: boolean): ElkExtendedEdge => {
  const lines = labelLines(words)
  return {
    id: `${from} ${to}`,
    sources: [isBack ? to : from],
    targets: [isBack ? from : to],
    labels: [
      {
        text: lines.join('\n'),
        width: Math.max(...lines.map((line) => textWidth(line, SIZES.small))) + 8,
        height: lines.length * SIZES.line + 2,
      },
    ],
  }
}

const placedIn = (
  graph: DrawnGraph,
  endings: ReadonlySet<string>,
  node: ElkNode,
  at: Point,
): readonly PlacedState[] => {
  const state = graph.states.find(({ id }) => id === node.id || headerOf(id) === node.id)
  if (state === undefined) return []
  const isHeader = state.id !== node.id
  const here = { x: at.x + (node.x ?? 0), y: at.y + (node.y ?? 0) }
  const isContainer = (node.children ?? []).length > 0
  return [
    {
      id: state.id,
      kind: isHeader ? 'header' : isContainer ? 'box' : state.kind === 'resting' ? 'state' : 'passing',
      tone: toneOf(graph, state.id),
      ...here,
      width: node.width ?? 0,
      height: node.height ?? 0,
      lines: isContainer ? [] : isHeader ? boxLines(graph, endings, state) : linesOf(graph, endings, state),
    },
    ...(node.children ?? []).flatMap((child) => placedIn(graph, endings, child, here)),
  ]
}

/** ELK gives the points of an edge relative to the box that contains it. */
const originsOf = (node: ElkNode, at: Point): ReadonlyMap<string, Point> => {
  const here = { x: at.x + (node.x ?? 0), y: at.y + (node.y ?? 0) }
  return new Map([[node.id, here], ...(node.children ?? []).flatMap((child) => [...originsOf(child, here)])])
}

type ArrangedEdge = ElkExtendedEdge & { readonly container?: string }

const arrowsIn = (root: ElkNode, arrows: readonly Arrow[], back: ReadonlySet<Arrow>): readonly PlacedArrow[] => {
  const origins = originsOf(root, { x: 0, y: 0 })
  const words = new Map(arrows.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow]))
  return ((root.edges ?? []) as readonly ArrangedEdge[]).flatMap((edge) => {
    const arrow = words.get(edge.id)
    const [section] = edge.sections ?? []
    if (arrow === undefined || section === undefined) return []
    const origin = origins.get(edge.container ?? root.id) ?? { x: 0, y: 0 }
    const [label] = edge.labels ?? []
    const corners = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
    return [
      {
        from: arrow.from,
        to: arrow.to,
        points: (back.has(arrow) ? corners.toReversed() : corners).map(({ x, y }) => ({
          x: round(x + origin.x),
          y: round(y + origin.y),
        })),
        label: {
          x: round((label?.x ?? 0) + origin.x),
          y: round((label?.y ?? 0) + origin.y),
          width: label?.width ?? 0,
          height: label?.height ?? 0,
          lines: labelLines(arrow.words),
        },
      },
    ]
  })
}

const round = (length: number): number => Math.round(length * 10) / 10

const ENDING_GAP = 14

/** Endings are a row of boxes below the drawing. No arrow leads to them: the chips name them. */
const withEndings = (graph: DrawnGraph, endings: ReadonlySet<string>, arrangement: Arrangement): Arrangement => {
  const boxes = graph.states.filter(({ id, kind }) => endings.has(id) && kind !== 'compound')
  if (boxes.length === 0) return arrangement
  let x = 8
  let y = arrangement.height + 16
  let rowHeight = 0
  const width = Math.max(arrangement.width, 420)
  const placed = boxes.map((state): PlacedState => {
    const lines = linesOf(graph, endings, state)
    const size = sizeOf(lines)
    if (x > 8 && x + size.width + 8 > width) {
      x = 8
      y += rowHeight + ENDING_GAP
      rowHeight = 0
    }
    const at = { x, y }
    x += size.width + ENDING_GAP
    rowHeight = Math.max(rowHeight, size.height)
    return { id: state.id, kind: 'state', tone: toneOf(graph, state.id), ...at, ...size, lines }
  })
  return { ...arrangement, width, height: Math.ceil(y + rowHeight + 8), states: [...arrangement.states, ...placed] }
}
