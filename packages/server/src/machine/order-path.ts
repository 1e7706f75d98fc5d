// Finds the way that an order took through the statechart from its history, so that a picture can
// show it. A history has the names of states before and after each event; the states that an order
// only passes through are found between them. Pages run this file in the browser, so it imports
// nothing.

type MapState = {
  readonly id: string
  /** The name in the API, the console and the history. Several states may share one. */
  readonly name: string
  readonly region: string
  readonly parent: string | null
  /** The state in which a box starts; null for a state without inner states. */
  readonly initial: string | null
}

type MapTransition = {
  readonly from: string
  readonly to: string
  /** An event's name, `after …`, or the empty string for a transition that needs no event. */
  readonly trigger: string
  /**
   * The value that its guard requires of the event, for example `VERIFIED`; null if it requires
   * none.
   */
  readonly requires: string | null
  /** The effects that it names, for example `tellMerchant denied`. */
  readonly causes: readonly string[]
}

/** The statechart, as far as finding ways needs it. */
export type MachineMap = {
  readonly states: readonly MapState[]
  readonly transitions: readonly MapTransition[]
}

/** A line of an order's history, as `GET /orders/<uuid>/history` has it. */
export type PathLine = {
  readonly seq: number
  readonly event: string
  readonly detail: string | null
  readonly from: { readonly [region: string]: string }
  readonly to: { readonly [region: string]: string }
}

/**
 * `arrows`: the transitions of this line, each as `from to`. `active`: the innermost states after it, one per region. `causes`:
 * what the transitions made plazo do.
 */
export type PathStep = {
  readonly seq: number
  readonly arrows: readonly string[]
  readonly active: readonly string[]
  readonly causes: readonly string[]
}

/**
 * One step for each line, in the order of the lines. Unknown states and jumps without a way are
 * shown without arrows.
 */
export const findOrderPath = (map: MachineMap, lines: readonly PathLine[]): readonly PathStep[] => {
  const at = new Map<string, string>()
  return lines.map((line) => {
    const arrows: string[] = []
    const causes = new Set<string>()
    for (const region of Object.keys(line.to)) {
      const name = line.to[region] ?? ''
      const targets = leavesByName(map, region, name)
      const here = at.get(region) ?? leavesByName(map, region, line.from[region] ?? name)[0]
      const way =
        here === undefined ? null : findWay(map, here, targets, line, line.from[region] === name)
      arrows.push(...(way?.arrows ?? []))
      for (const cause of way?.causes ?? []) causes.add(cause)
      const next = way?.end ?? (here !== undefined && targets.includes(here) ? here : targets[0])
      if (next !== undefined) at.set(region, next)
    }
    return { seq: line.seq, arrows, active: [...at.values()], causes: [...causes] }
  })
}

const leavesByName = (map: MachineMap, region: string, name: string): readonly string[] =>
  map.states
    .filter((state) => state.region === region && state.name === name && state.initial === null)
    .map(({ id }) => id)

/** The state itself and the boxes around it, from the inside out. */
const withParents = (map: MachineMap, id: string): readonly string[] => {
  const parent = map.states.find((state) => state.id === id)?.parent ?? null
  return parent === null ? [id] : [id, ...withParents(map, parent)]
}

const leafOf = (map: MachineMap, id: string): string => {
  const initial = map.states.find((state) => state.id === id)?.initial ?? null
  return initial === null ? id : leafOf(map, initial)
}

type Way = {
  readonly end: string
  readonly arrows: readonly string[]
  readonly causes: readonly string[]
}

const transitionsFrom = (map: MachineMap, id: string): readonly MapTransition[] => {
  const boxes = withParents(map, id)
  return map.transitions.filter(({ from }) => boxes.includes(from))
}

/** A timer's line says which one fired: `screeningWindow`. */
const isTrigger = ({ trigger }: MapTransition, { event, detail }: PathLine): boolean =>
  event === 'timer.fired' ? trigger === `after ${detail ?? ''}` : trigger === event

const findWay = (
  map: MachineMap,
  here: string,
  targets: readonly string[],
  line: PathLine,
  isSameName: boolean,
): Way | null => {
  const matching = transitionsFrom(map, here).filter((transition) => isTrigger(transition, line))
  const allowed = matching.filter(({ requires }) => requires === null || requires === line.detail)
  const way = shortestWay(map, allowed, targets)
  // A region may move by an event that another region raised, which the history does not name.
  if (way !== null || isSameName) return way
  return shortestWay(map, transitionsFrom(map, here), targets)
}

/**
 * The fewest transitions to one of the targets; after the first one only those that need no event.
 */
const shortestWay = (
  map: MachineMap,
  first: readonly MapTransition[],
  targets: readonly string[],
): Way | null => {
  const visited = new Set<string>()
  const extend = (
    { arrows, causes }: Pick<Way, 'arrows' | 'causes'>,
    next: MapTransition,
  ): Way => ({
    end: leafOf(map, next.to),
    arrows: [...arrows, `${next.from} ${next.to}`],
    causes: [...causes, ...next.causes],
  })
  let ways = first.map((transition) => extend({ arrows: [], causes: [] }, transition))
  while (ways.length > 0) {
    const way = ways.find(({ end }) => targets.includes(end))
    if (way !== undefined) return way
    ways = ways.flatMap((former) => {
      if (visited.has(former.end)) return []
      visited.add(former.end)
      return transitionsFrom(map, former.end)
        .filter(({ trigger }) => trigger === '')
        .map((next) => extend(former, next))
    })
  }
  return null
}
