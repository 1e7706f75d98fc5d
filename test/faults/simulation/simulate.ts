// `pnpm simulate`: runs thousands of orders under all kinds of faults, in one process and from one
// seed. If a law is broken, it prints the shortest story and the exit code is 1.
import { anySeed, commandOptions } from '../../harness/command-options.ts'
import { tallyText } from './event-log.ts'
import { failureText, simulate } from './simulation.ts'

const HELP = `pnpm simulate [--orders 10000] [--seed N] [--only 3,17] [--faults 2,5|none]

  --orders   how many orders are placed; every hundred have a world of their own, and the next seed
  --seed     the first world's; the same seed tells the same story, byte for byte
  --only     of the first world these orders alone, by their numbers
  --faults   these faults alone, by their numbers
`

const { orders, seed, only, faults } = commandOptions(HELP, {
  orders: '10000',
  seed: anySeed(),
  only: '',
  faults: '',
})

const DAY = 86_400_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const numbersIn = (list: string): readonly number[] =>
  list === 'none'
    ? []
    : list.split(',').map((text) => {
        if (!/^\d+$/.test(text)) throw new Error(`${JSON.stringify(text)} is no number.`)
        return Number(text)
      })

const begunAt = performance.now()
const seconds = (): number => Math.round((performance.now() - begunAt) / 1000)
say(`pnpm simulate --orders ${orders} --seed ${seed}`)
const simulated = await simulate({
  seed: Number(seed),
  count: Number(orders),
  only: only === '' ? null : numbersIn(only),
  faults: faults === '' ? null : numbersIn(faults),
  onWorld: ({ seed: at, orders: placed, steps, lasted, tally }) =>
    say(
      `${String(placed).padStart(7)} orders, seed ${at}: ${steps} steps, ${Math.round(lasted / DAY)} days, ${tally.faults?.['lives ended'] ?? 0} lives ended, ${seconds()} s`,
    ),
})
const { failure, worlds, orders: placed, steps, lasted, tally } = simulated
if (failure === null) {
  say(tallyText(tally))
  say(
    `${placed} shoppers in ${worlds} worlds, ${steps} steps, ${Math.round(lasted / DAY)} simulated days in ${seconds()} s. Every law held.`,
  )
} else {
  say(`\n${failureText(failure)}`)
  process.exitCode = 1
}
