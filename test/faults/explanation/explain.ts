// `pnpm explain`: explains orders in simulated worlds, and checks every explanation as a prediction.
// The exit code is 1 if one of them is wrong.
import { parseArgs } from 'node:util'
import { checkExplanations } from './prediction.ts'

const HELP = `pnpm explain [--explanations 1000000] [--seed N]

  --explanations   how many are checked
  --seed           the first world's; each world has the next one
`

const { values } = parseArgs({
  options: {
    explanations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const start = async (): Promise<void> => {
  const { explanations, seed } = values
  say(`pnpm explain --explanations ${explanations} --seed ${seed}`)
  const begunAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - begunAt) / 1000)
  let worlds = 0
  const checked = await checkExplanations(Number(explanations), Number(seed), (soFar) => {
    worlds += 1
    if (worlds % 2_000 === 0)
      say(`${soFar.explanations} explanations, ${worlds} worlds, ${seconds()} s`)
  })
  for (const [event, count] of Object.entries(checked.named).sort(([, a], [, b]) => b - a))
    say(`${String(count).padStart(9)}  ${event}`)
  for (const wrong of checked.wrong) say(`WRONG: ${wrong}`)
  if (checked.wrong.length > 0) process.exitCode = 1
  else
    say(`${checked.explanations} explanations in ${worlds} worlds were right, in ${seconds()} s.`)
}

if (values.help) say(HELP)
else await start()
