// Writes the graph in Mermaid, which code-hosting sites and editors render inside a page of text.

import { arrowsOf, childStates, type Graph, type GraphState, initialStatesOf } from './graph.ts'

const idOf = (state: string): string => state.replaceAll('.', '_')

// In Mermaid a colon or a semicolon ends a label, and a quote ends a quoted name.
const text = (words: string): string => words.replaceAll(/[;:]/g, ',').replaceAll('"', '’')

const stateLine = ({ id, name, caption, wait, section }: GraphState): string => {
  const words = [name, caption, wait === null ? null : `⇒ ${wait}`, section].filter((part) => part !== null)
  return `state "${words.map(text).join('<br/>')}" as ${idOf(id)}`
}

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? '' : `  ${line}`))

const regionLines = (graph: Graph, state: GraphState): readonly string[] =>
  childStates(graph, state.id).flatMap((child, index) => [...(index === 0 ? [] : ['--']), ...drawState(graph, child)])

const compoundLines = (graph: Graph, state: GraphState): readonly string[] => [
  ...initialStatesOf(graph).flatMap(({ of, at }) => (of === state.id ? [`[*] --> ${idOf(at)}`] : [])),
  ...childStates(graph, state.id).flatMap((child) => drawState(graph, child)),
]

const drawState = (graph: Graph, state: GraphState): readonly string[] => {
  switch (state.kind) {
    case 'parallel':
      return [`state "${text(state.name)}" as ${idOf(state.id)} {`, ...indent(regionLines(graph, state)), '}']
    case 'compound':
      return [`state "${text(state.name)}" as ${idOf(state.id)} {`, ...indent(compoundLines(graph, state)), '}']
    case 'resting':
    case 'passing':
      return [stateLine(state)]
  }
}

export const mermaidOf = (graph: Graph): string =>
  [
    'stateDiagram-v2',
    ...indent(graph.states.filter(({ parent }) => parent === null).flatMap((root) => drawState(graph, root))),
    '',
    ...indent(
      arrowsOf(graph).map(
        ({ from, to, labels }) => `${idOf(from)} --> ${idOf(to)} : ${labels.map(text).join('<br/>')}`,
      ),
    ),
    '',
  ].join('\n')
