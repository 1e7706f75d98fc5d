// The words at an arrow of the statechart's pictures: `code.submitted if code is right`. Names of
// guards become sentences here, so that a reader of the picture needs no code.
import type { Graph, GraphTransition, NamedGuard } from '@plazo/core/internal'

/** `sendCode` as `send code`. */
export const splitCamelCase = (name: string): string =>
  name.replaceAll(/([a-z0-9])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)

const guardWords = (guard: NamedGuard): string => {
  switch (guard.type) {
    case 'named':
      return [
        splitCamelCase(guard.name).replace(/^(?=(?:is|was|has|may) )/, 'it '),
        ...Object.values(guard.params),
      ].join(' ')
    case 'in':
      return `in ${splitCamelCase(guard.state.slice(guard.state.lastIndexOf('.') + 1))}`
    case 'and':
      return guard.of.map(guardWords).join(' and ')
    case 'or':
      return guard.of.map(guardWords).join(' or ')
    case 'not':
      return `not ${guard.of.map(guardWords).join(' ')}`
  }
}

const triggerWords = ({ trigger }: GraphTransition): string => {
  if (trigger.type === 'always') return ''
  return trigger.type === 'event' ? trigger.event : `after ${splitCamelCase(trigger.delay)}`
}

const isSameTrigger = (one: GraphTransition, other: GraphTransition): boolean =>
  one.from === other.from &&
  one.trigger.type === other.trigger.type &&
  triggerWords(one) === triggerWords(other)

export const transitionWords = (graph: Graph, transition: GraphTransition): string => {
  const trigger = triggerWords(transition)
  const isElse =
    transition.guard === null &&
    graph.transitions.some((other) => other.guard !== null && isSameTrigger(other, transition))
  const condition =
    transition.guard === null ? (isElse ? 'else' : '') : `if ${guardWords(transition.guard)}`
  return [trigger, condition].filter((words) => words !== '').join(' ')
}
