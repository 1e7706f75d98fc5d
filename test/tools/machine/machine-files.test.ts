// Pictures and positions of the statechart are checked in and can become stale. This compares them
// with the machine.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { orderGraph } from '@plazo/core/machine'
import { describe, expect, it } from 'vitest'
import { generateMachineData } from './generate.ts'
import { machineFiles } from './machine-files.ts'

const fileAt = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8').catch(() => '')
const checkedIn = (name: string): Promise<string> => fileAt(`docs/machine/${name}`)

const resting = orderGraph.states.filter(({ kind }) => kind === 'resting' || kind === 'final')

/** The notation for a state in each kind of file. */
const nameIn: { readonly [file: string]: (id: string) => string } = {
  'order.mmd': (id) => ` as ${id.replaceAll('.', '_')}\n`,
  'order.json': (id) => `"id": "${id}"`,
}

describe('the checked-in picture of the machine', () => {
  it('matches the current machine, and so do the positions from which the pages draw', async () => {
    const { pictures, text } = await generateMachineData()
    const files = Object.entries(await machineFiles(pictures)).map(
      ([name, file]) => [`docs/machine/${name}`, file] as const,
    )
    const stale: string[] = []
    for (const [path, file] of [
      ...files,
      ['packages/server/src/api/machine/machine-data.json', text] as const,
    ])
      if ((await fileAt(path)) !== file) stale.push(path)
    expect(
      stale,
      'These files differ from the machine; run `pnpm machine` and commit them',
    ).toEqual([])
  })

  it('is the same when it is generated again', async () => {
    const { text } = await generateMachineData()
    expect((await generateMachineData()).text).toBe(text)
  })

  it.each(Object.keys(nameIn))('has every state an order can rest in: %s', async (name) => {
    const content = await checkedIn(name)
    const missing = resting
      .filter(({ id }) => !content.includes(nameIn[name]?.(id) ?? id))
      .map(({ id }) => id)
    expect(missing).toEqual([])
  })

  it.each(['checkout', 'risk', 'cancellation'])(
    'has every resting state of the region %s in its own SVG',
    async (region) => {
      const content = await checkedIn(`${region}.svg`)
      const drawn = resting
        .filter(({ id }) => content.includes(`data-state="${id}"`))
        .map(({ id }) => id)
      expect(drawn).toEqual(
        resting.filter(({ id }) => id.startsWith(`${region}.`)).map(({ id }) => id),
      )
    },
  )
})
