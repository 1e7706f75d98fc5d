// Pictures and positions of the statechart are checked in and can become stale. This compares them
// with the machine.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { generateMachineData } from './generate.ts'
import { machineFiles } from './machine-files.ts'

it('the checked-in pictures, texts and positions are those of the machine', async () => {
  const { pictures, text } = await generateMachineData()
  const files = {
    ...Object.fromEntries(
      Object.entries(await machineFiles(pictures)).map(([name, file]) => [
        `docs/machine/${name}`,
        file,
      ]),
    ),
    'packages/server/src/api/machine/machine-data.json': text,
  }
  const stale: string[] = []
  for (const [path, file] of Object.entries(files))
    if (
      (await readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')) !== file
    )
      stale.push(path)
  expect(
    stale,
    'These files differ from the machine; run `./pnpm machine` and commit them',
  ).toEqual([])
})
