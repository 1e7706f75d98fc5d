// Measures the steps per second of the pure core without a store: the cost of the rules alone.
import { coreFigures } from './core.ts'
import type { Part, PartOptions, PartResult } from './part.ts'
import { inRounds } from './rounds.ts'

const CHECKOUTS = { full: 10_000, small: 300 } as const

const measure = ({ rounds, size, say }: PartOptions): Promise<PartResult> =>
  inRounds({ 'pure core': async () => coreFigures(CHECKOUTS[size]) }, { rounds, size, say })

export const steps: Part = { name: 'steps', about: 'steps a second of the pure core, without a store', measure }
