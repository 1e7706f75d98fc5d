// Finds the way that an order took through the statechart from its history, so that a picture can
// show it. A history has the names of states before and after each event; the states that an order
// only passes through are found between them. Pages run this file in the browser, so it imports
// nothing.

/** A state without inner states. */
type MapState = {
  readonly id: string
  /** The name in the API, the console and the history. Several states may share one. */
  readonly name: string
  readonly region: string
}

/**
 * A transition as an order takes it, from one innermost state to another. A transition of a box is
 * here once for each state inside.
 */
type MapTransition = {
  readonly from: string
  readonly end: string
  /** As the statechart has it: `from to`. */
  readonly arrow: string
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

/** Transitions, each from where the former one ends. */
type Way = readonly MapTransition[]

/**
 * One step for each line, in the order of the lines. Unknown states and jumps without a way are
 * shown without arrows.
 */
export const findOrderPath = (map: MachineMap, lines: readonly PathLine[]): readonly PathStep[] => {
  const at = new Map<string, string>()
  const moveIn = (region: string, line: PathLine): Way => {
    const [before, name] = [line.from[region], line.to[region]]
    const targets = statesNamed(map, region, name)
    const here = at.get(region) ?? statesNamed(map, region, before ?? name)[0] ?? ''
    const way = findWay(map, here, targets, line, before === name)
    const next = way?.at(-1)?.end ?? (targets.includes(here) ? here : targets[0])
    if (next !== undefined) at.set(region, next)
    return way ?? []
  }
  return lines.map((line) => {
    const way = Object.keys(line.to).flatMap((region) => moveIn(region, line))
    return {
      seq: line.seq,
      arrows: way.map(({ arrow }) => arrow),
      active: [...at.values()],
      causes: [...new Set(way.flatMap(({ causes }) => causes))],
    }
  })
}

const statesNamed = (map: MachineMap, region: string, name = ''): readonly string[] =>
  map.states.filter((state) => state.region === region && state.name === name).map(({ id }) => id)

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
  const possible = map.transitions.filter(({ from }) => from === here)
  const allowed = possible.filter(
    (each) => isTrigger(each, line) && (each.requires === null || each.requires === line.detail),
  )
  const shortest = (first: Way) =>
    shortestWay(
      map,
      first.map((each) => [each]),
      targets,
    )
  const way = shortest(allowed)
  // A region may move by an event that another region raised, which the history does not name.
  return way !== null || isSameName ? way : shortest(possible)
}

/**
 * The first of these ways that ends at a target, or the shortest that goes on to one by transitions
 * that need no event. They have no cycle.
 */
const shortestWay = (
  map: MachineMap,
  ways: readonly Way[],
  targets: readonly string[],
): Way | null => {
  const endOf = (way: Way) => way.at(-1)?.end ?? ''
  const found = ways.find((way) => targets.includes(endOf(way)))
  if (found !== undefined || ways.length === 0) return found ?? null
  const longer = ways.flatMap((way) =>
    map.transitions
      .filter(({ from, trigger }) => from === endOf(way) && trigger === '')
      .map((next) => [...way, next]),
  )
  return shortestWay(map, longer, targets)
}
