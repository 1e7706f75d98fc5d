// Computes where the states and arrows of the statechart go. It takes half a second and a large
// library, so it runs once, when the pictures are generated, and its result is committed: no page
// and no order's picture needs the library.
import { childStates, type Graph, type GraphState } from '@plazo/core/internal'
import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs'
import type { Arrangement, PlacedArrow, PlacedState, Point } from './arrangement.ts'
import {
  type Arrow,
  arrowsOf,
  backArrows,
  boxLines,
  chipsOf,
  type DrawnGraph,
  drawnGraphOf,
  linesOf,
  SIZES,
  sizeOf,
  toneOf,
} from './drawing.ts'
import { textWidth, wrapText } from './text-width.ts'

const LABEL_LETTERS = 15

/** Draws one region of the graph: `checkout`, `risk` or `cancellation`. */
export const arrangeRegion = async (whole: Graph, region: string): Promise<Arrangement> => {
  const graph = drawnGraphOf(regionOf(whole, region))
  const root = graph.states.find(({ id }) => id === region)
  if (root === undefined) throw new Error(`The statechart has no region ${region}.`)
  const arrows = arrowsOf(graph)
  const back = backArrows(graph, arrows)
  const arranged = await new elk.default().layout({
    ...nodeOf(graph, root),
    edges: arrows.map((arrow) => edgeOf(arrow, back.has(arrow))),
  })
  const states = placedIn(graph, arranged, { x: 0, y: 0 })
  return withEndings(graph, {
    region,
    width: Math.ceil(arranged.width ?? 0),
    height: Math.ceil(arranged.height ?? 0),
    states: states.filter(({ id, kind }) => id !== region || kind === 'header'),
    arrows: arrowsIn(arranged, states, arrows, back),
  })
}

/** The region with all states inside it, as a separate graph. */
const regionOf = ({ states, transitions }: Graph, region: string): Graph => {
  const isWithin = (id: string) => `${id}.`.startsWith(`${region}.`)
  return {
    id: region,
    states: states
      .filter(({ id }) => isWithin(id))
      .map((state) => (state.id === region ? { ...state, parent: null } : state)),
    transitions: transitions.filter(({ from }) => isWithin(from)),
  }
}

const SPACING = {
  'elk.spacing.nodeNode': '12',
  'elk.layered.spacing.nodeNodeBetweenLayers': '22',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.edgeNode': '8',
  'elk.spacing.edgeEdge': '8',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
}

const LAYERED = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'LINEAR_SEGMENTS',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.considerModelOrder.strategy': 'NONE',
  ...SPACING,
}

const nodeOf = (graph: DrawnGraph, state: GraphState): ElkNode => {
  const inside = childStates(graph, state.id).filter(({ id }) => !graph.endings.has(id))
  if (inside.length === 0) return { id: state.id, ...sizeOf(linesOf(graph, state)) }
  const isRoot = state.parent === null
  const header: ElkNode = {
    id: headerOf(state.id),
    ...sizeOf(boxLines(graph, state)),
    layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
  }
  return {
    id: state.id,
    layoutOptions: {
      ...(isRoot ? LAYERED : SPACING),
      'elk.padding': isRoot
        ? '[top=8,left=8,bottom=8,right=8]'
        : '[top=10,left=14,bottom=14,right=14]',
    },
    children: [
      ...(isRoot && chipsOf(graph, state.id).length === 0 ? [] : [header]),
      ...inside.map((child) => nodeOf(graph, child)),
    ],
  }
}

const headerOf = (id: string): string => `${id} header`

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

const placedIn = (graph: DrawnGraph, node: ElkNode, at: Point): readonly PlacedState[] => {
  const state = graph.states.find(({ id }) => id === node.id || headerOf(id) === node.id)
  if (state === undefined) return []
  const isHeader = state.id !== node.id
  const here = { x: at.x + (node.x ?? 0), y: at.y + (node.y ?? 0) }
  const isContainer = (node.children ?? []).length > 0
  return [
    {
      id: state.id,
      kind: isHeader
        ? 'header'
        : isContainer
          ? 'box'
          : state.kind === 'passing'
            ? 'passing'
            : 'state',
      tone: toneOf(graph, state.id),
      ...here,
      width: node.width ?? 0,
      height: node.height ?? 0,
      lines: isContainer ? [] : isHeader ? boxLines(graph, state) : linesOf(graph, state),
    },
    ...(node.children ?? []).flatMap((child) => placedIn(graph, child, here)),
  ]
}

type ArrangedEdge = ElkExtendedEdge & { readonly container?: string }

const arrowsIn = (
  root: ElkNode,
  states: readonly PlacedState[],
  arrows: readonly Arrow[],
  back: ReadonlySet<Arrow>,
): readonly PlacedArrow[] => {
  // ELK gives the points of an edge relative to the box that contains it.
  const boxes = new Map(states.filter(({ kind }) => kind === 'box').map((box) => [box.id, box]))
  const words = new Map(arrows.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow]))
  return ((root.edges ?? []) as readonly ArrangedEdge[]).flatMap((edge) => {
    const arrow = words.get(edge.id)
    const [section] = edge.sections ?? []
    if (arrow === undefined || section === undefined) return []
    const origin = boxes.get(edge.container ?? root.id) ?? { x: 0, y: 0 }
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
const withEndings = (graph: DrawnGraph, arrangement: Arrangement): Arrangement => {
  const boxes = graph.states.filter(({ id, kind }) => graph.endings.has(id) && kind !== 'compound')
  if (boxes.length === 0) return arrangement
  let x = 8
  let y = arrangement.height + 16
  let rowHeight = 0
  const width = Math.max(arrangement.width, 420)
  const placed = boxes.map((state): PlacedState => {
    const lines = linesOf(graph, state)
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
  return {
    ...arrangement,
    width,
    height: Math.ceil(y + rowHeight + 8),
    states: [...arrangement.states, ...placed],
  }
}
