// `pnpm machine`: generates everything that is drawn or derived from the statechart, and writes it
// where it is committed.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateMachineData } from './generate.ts'
import { machineFiles } from './machine-files.ts'

if (process.argv.includes('--help')) {
  console.log(`pnpm machine [--help]

  Draws the statechart again after a change: docs/machine/ and packages/server/src/api/machine/machine-data.json.`)
  process.exit()
}

const write = (path: string, content: string): void => {
  const file = fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  writeFileSync(file, content)
  console.log(file)
}

const { pictures, text } = await generateMachineData()
write('packages/server/src/api/machine/machine-data.json', text)
for (const [name, content] of Object.entries(await machineFiles(pictures)))
  write(`docs/machine/${name}`, content)
