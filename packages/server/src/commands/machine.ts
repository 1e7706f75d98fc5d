// `plazo machine`: prints the statechart as text for other tools, generated from the machine itself.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Arrow,
  actionText,
  arrowsOf,
  childStates,
  type Graph,
  type GraphState,
  graphWithin,
  initialStatesOf,
  mermaidOf,
  type NamedAction,
  orderGraph,
  scxmlOf,
} from '@plazo/core/diagram'
import { Option } from 'commander'
import type { IActionType, IState, IStateMachine, ITransition } from 'state-machine-cat'
import { PlazoCommand } from './command.ts'
import { refuseValue, say } from './terminal.ts'

const FORMATS: { readonly [format: string]: () => string } = {
  mermaid: () => mermaidOf(orderGraph),
  scxml: () => scxmlOf(orderGraph),
  json: () => JSON.stringify(orderGraph, null, 2),
}
const NAMES = Object.keys(FORMATS)

type Options = { readonly format: string; readonly json?: boolean; readonly out?: string }

const writeAll = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch(() =>
    refuseValue('--out', folder, 'a folder, or a path where one can be created'),
  )
  for (const [name, content] of Object.entries(await machineFiles())) {
    await writeFile(join(folder, name), content)
    say(join(folder, name))
  }
}

const show = async ({ format, json, out }: Options): Promise<void> => {
  if (out !== undefined) return writeAll(out)
  const formatText = FORMATS[json ? 'json' : format] ?? refuseValue('--format', format, `one of ${NAMES.join(', ')}`)
  say(formatText().trimEnd())
}

export const machineCommand = (): PlazoCommand =>
  new PlazoCommand('machine')
    .description('prints the statechart of an order')
    .option('--format <format>', NAMES.join(', '), 'mermaid')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--out <folder>', 'writes all of them there instead, and pictures (SVG)')
    .examples('plazo machine > order.mmd', 'plazo machine --format scxml', 'plazo machine --out ./machine')
    .action(show)

/** The files of docs/machine/, except its README. */
export const machineFiles = async (): Promise<{ readonly [name: string]: string }> => ({
  'order.svg': await svgOf(orderGraph),
  'checkout.svg': await svgOf(graphWithin(orderGraph, 'checkout')),
  'risk.svg': await svgOf(graphWithin(orderGraph, 'risk')),
  'cancellation.svg': await svgOf(graphWithin(orderGraph, 'cancellation')),
  'order.mmd': mermaidOf(orderGraph),
  'order.scxml': scxmlOf(orderGraph),
  'order.json': `${JSON.stringify(orderGraph, null, 2)}\n`,
})

// A reader may not have Helvetica. Boxes have room for the widest of the common fonts; DejaVu Sans is nearly as wide.
const FONT = { name: 'fontname', value: 'Verdana' }

const svgOf = async (graph: Graph): Promise<string> => {
  // The renderer of the pictures is large, and nothing else needs it.
  const { render } = await import('state-machine-cat')
  return styledSvg(
    await render(chartOf(graph), {
      inputType: 'json',
      // This renderer never uses an installed Graphviz, so that every machine produces the same bytes.
      outputType: 'oldsvg',
      dotGraphAttrs: [
        FONT,
        { name: 'bgcolor', value: 'white' },
        { name: 'ordering', value: '""' },
        { name: 'ranksep', value: '0.3' },
        { name: 'nodesep', value: '0.4' },
      ],
      dotNodeAttrs: [FONT],
      dotEdgeAttrs: [FONT, { name: 'fontsize', value: '11' }],
    }),
    graph.id,
  )
}

const chartOf = (graph: Graph): IStateMachine => {
  const colours = new Map(graph.states.map((state) => [state.id, colourOf(state)]))
  const beginnings = innermostStarts(graph).map(({ of, at }) => ({ from: dotOf(of), to: at }))
  const arrows = arrowsOf(graph)
    .filter((arrow) => !isLine(graph, arrow))
    .map(({ from, to, labels }) => ({ from, to, label: labels.join('\n'), color: colours.get(to) ?? COLOURS.plain }))
  return {
    states: graph.states.filter(({ parent }) => parent === null).map((root) => stateBox(graph, root)),
    transitions: [...beginnings, ...arrows, ...invisibleArrows(graph)].map(
      (arrow, index): ITransition => ({ id: index + 1, ...arrow }),
    ),
  }
}

const stateBox = (graph: Graph, state: GraphState): IState => {
  const box: IState = {
    name: state.id,
    label: state.kind === 'passing' ? `◇ ${state.name}` : state.name,
    type: state.kind === 'parallel' ? 'parallel' : 'regular',
    color: colourOf(state),
    actions: actionLines(graph, state),
  }
  const children = childStates(graph, state.id)
  if (children.length === 0) return box
  const hasDot = innermostStarts(graph).some(({ of }) => of === state.id)
  const dot: readonly IState[] = hasDot ? [{ name: dotOf(state.id), type: 'initial' }] : []
  return { ...box, statemachine: { states: [...dot, ...children.map((child) => stateBox(graph, child))] } }
}

const actionLines = (graph: Graph, { id, caption, wait, section, entry, exit }: GraphState): IActionType[] => [
  ...[caption, wait === null ? null : `⇒ ${wait}`, section].flatMap((words) =>
    words === null ? [] : [textLine(words)],
  ),
  ...effectLine('entry', entry),
  ...effectLine('exit', exit),
  ...arrowsOf(graph)
    .filter((arrow) => arrow.from === id && isLine(graph, arrow))
    .flatMap(({ to, labels }) => labels.map((label) => textLine(`${label} → ${to.slice(to.lastIndexOf('.') + 1)}`))),
]

const textLine = (body: string): IActionType => ({ type: 'activity', body })

// Assignments are the order's own bookkeeping. A reader of the picture asks which actions have an effect outside.
const effectLine = (type: 'entry' | 'exit', actions: readonly NamedAction[]): readonly IActionType[] => {
  const reaching = actions.filter((action) => action.type !== 'assignment').map(actionText)
  return reaching.length === 0 ? [] : [{ type, body: reaching.join(', ') }]
}

// A transition of a whole box is a line under its name: an arrow to a state inside the box would have nowhere to begin.
const isLine = (graph: Graph, { from }: Arrow): boolean => childStates(graph, from).length > 0

const dotOf = (state: string): string => `${state}.initial`

// Only the innermost start gets a dot, not each box around it.
const innermostStarts = (graph: Graph): ReturnType<typeof initialStatesOf> => {
  const beginnings = initialStatesOf(graph)
  return beginnings.filter(({ at }) => !beginnings.some(({ of }) => of === at))
}

// The layout ranks the states of a box only by the arrows inside it. A state that is reached through a passing state outside
// the box would come first. An invisible arrow from its predecessor keeps it in its place.
const invisibleArrows = (graph: Graph): readonly { from: string; to: string; color: string }[] => {
  const parents = new Map(graph.states.map(({ id, parent }) => [id, parent]))
  const passing = new Set(graph.states.filter(({ kind }) => kind === 'passing').map(({ id }) => id))
  const isDetour = (first: Arrow, second: Arrow) =>
    first.to === second.from &&
    passing.has(first.to) &&
    first.from !== second.to &&
    parents.get(first.from) === parents.get(second.to) &&
    parents.get(first.from) !== parents.get(first.to)
  const arrows = arrowsOf(graph)
  return arrows.flatMap((first) =>
    arrows
      .filter((second) => isDetour(first, second))
      .map((second) => ({ from: first.from, to: second.to, color: '#ffffff00' })),
  )
}

const COLOURS = { plain: '#24292f', good: '#1a7f37', bad: '#b3261e' }

const COLOUR_OF_WAIT: { readonly [wait: string]: string } = {
  finish: COLOURS.good,
  reject: COLOURS.bad,
  show_conflict: COLOURS.bad,
  show_error: COLOURS.bad,
}

const colourOf = ({ wait }: GraphState): string => COLOUR_OF_WAIT[wait ?? ''] ?? COLOURS.plain

const STYLE = `<style>
text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif }
.node > text:first-of-type, .cluster > text:first-of-type { font-weight: bold }
.node > polygon:first-of-type { fill: white; fill-opacity: 1 }
.cluster > path { fill: #57606a; fill-opacity: 0.05; stroke: #8c959f }
.edge > text { paint-order: stroke; stroke: white; stroke-opacity: 0.85; stroke-width: 3px }
.wait { fill: #0550ae }
.section { fill: #6e7781 }
</style>`

const styledSvg = (svg: string, title: string): string =>
  svg
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replace('<title>state transitions</title>', `<title>${title}</title>`)
    .replaceAll(/ font-family="[^"]*"/g, '')
    .replaceAll(/<text ([^>]*)>(?=⇒)/g, '<text class="wait" $1>')
    .replaceAll(/<text ([^>]*)>(?=(Interface|Contract) §)/g, '<text class="section" $1>')
    .replace(/<g id="graph0"/, `${STYLE}\n<g id="graph0"`)
