// The pictures in docs/machine/ are checked in and can become stale. This compares them with the machine.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { orderGraph } from '@plazo/core/diagram'
import { describe, expect, it } from 'vitest'
import { machineFiles } from '../packages/server/src/commands/machine.ts'

const machineFolder = fileURLToPath(new URL('../docs/machine/', import.meta.url))
const files = await machineFiles()
const checkedIn = (name: string): Promise<string> => readFile(`${machineFolder}${name}`, 'utf8').catch(() => '')

const resting = orderGraph.states.filter(({ kind }) => kind === 'resting')

/** The notation for a state in each kind of file. */
const nameIn: { readonly [file: string]: (id: string) => string } = {
  'order.svg': (id) => `<title>${id}</title>`,
  'order.mmd': (id) => ` as ${id.replaceAll('.', '_')}\n`,
  'order.scxml': (id) => `<state id="${id}"`,
  'order.json': (id) => `"id": "${id}"`,
}

describe('the checked-in picture of the machine', () => {
  it.each(Object.keys(files))('matches the current machine: %s', async (name) => {
    const isFresh = (await checkedIn(name)) === files[name]
    expect(isFresh, `docs/machine/${name} differs from the machine; run \`pnpm machine\` and commit it`).toBe(true)
  })

  it('is the same when it is generated again', async () => {
    expect(await machineFiles()).toEqual(files)
  })

  it.each(Object.keys(nameIn))('has every state an order can rest in: %s', async (name) => {
    const content = await checkedIn(name)
    const missing = resting.filter(({ id }) => !content.includes(nameIn[name]?.(id) ?? id)).map(({ id }) => id)
    expect(missing).toEqual([])
  })

  it.each(['checkout', 'risk', 'cancellation'])(
    'has every resting state of the region %s in its own SVG',
    async (region) => {
      const content = await checkedIn(`${region}.svg`)
      const drawn = resting.filter(({ id }) => content.includes(`<title>${id}</title>`)).map(({ id }) => id)
      expect(drawn).toEqual(resting.filter(({ id }) => id.startsWith(`${region}.`)).map(({ id }) => id))
    },
  )

  it('refers, in SCXML, only to existing states', async () => {
    const content = await checkedIn('order.scxml')
    const ids = [...content.matchAll(/<(?:state|parallel) id="([^"]+)"/g)].map(([, id]) => id)
    const targets = [...content.matchAll(/ (?:target|initial)="([^"]+)"/g)].map(([, target]) => target)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
    expect(targets.length).toBeGreaterThan(0)
  })
})
