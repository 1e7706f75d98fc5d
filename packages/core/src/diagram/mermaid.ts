// Writes the graph in Mermaid, which code-hosting sites and editors render inside a page of text.

import { arrowsOf, beginningsOf } from './arrows.ts'
import { childStates, type Graph, type GraphState } from './graph.ts'

const idOf = (state: string): string => state.replaceAll('.', '_')

// In Mermaid a colon or a semicolon ends a label, and a quote ends a quoted name.
const text = (words: string): string => words.replaceAll(/[;:]/g, ',').replaceAll('"', '’')

const described = ({ id, name, caption, wait, section }: GraphState): string => {
  const words = [name, caption, wait === null ? null : `⇒ ${wait}`, section].filter((part) => part !== null)
  return `state "${words.map(text).join('<br/>')}" as ${idOf(id)}`
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? '' : `  ${line}`))

const regions = (graph: Graph, state: GraphState): readonly string[] =>
  childStates(graph, state.id).flatMap((child, index) => [...(index === 0 ? [] : ['--']), ...drawn(graph, child)])

const inside = (graph: Graph, state: GraphState): readonly string[] => [
  ...beginningsOf(graph).flatMap(({ of, at }) => (of === state.id ? [`[*] --> ${idOf(at)}`] : [])),
  ...childStates(graph, state.id).flatMap((child) => drawn(graph, child)),
]

const drawn = (graph: Graph, state: GraphState): readonly string[] => {
  switch (state.kind) {
    case 'parallel':
      return [`state "${text(state.name)}" as ${idOf(state.id)} {`, ...indented(regions(graph, state)), '}']
    case 'compound':
      return [`state "${text(state.name)}" as ${idOf(state.id)} {`, ...indented(inside(graph, state)), '}']
    case 'resting':
    case 'passing':
      return [described(state)]
  }
}

export const mermaidOf = (graph: Graph): string =>
  [
    'stateDiagram-v2',
    ...indented(graph.states.filter(({ parent }) => parent === null).flatMap((root) => drawn(graph, root))),
    '',
    ...indented(
      arrowsOf(graph).map(
        ({ from, to, labels }) => `${idOf(from)} --> ${idOf(to)} : ${labels.map(text).join('<br/>')}`,
      ),
    ),
    '',
  ].join('\n')
