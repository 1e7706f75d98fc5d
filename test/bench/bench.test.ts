// The benchmarks at a small size: they run, and every request of theirs is answered right. No figure is asserted.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = async (file: string, ...args: readonly string[]): Promise<Readonly<Record<string, number>>> => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [path, '--rounds', '1', '--json', ...args])
  return JSON.parse(stdout) as Readonly<Record<string, number>>
}

const all = (figures: Readonly<Record<string, number>>): boolean => Object.values(figures).every((figure) => figure > 0)

describe('the benchmarks', () => {
  it('measure submissions beside their limit', async () => {
    const figures = await run('./bench.ts', '--orders', '500')
    expect(Object.keys(figures)).toEqual(
      expect.arrayContaining([
        'submissionsPerSecond',
        'limitPerSecond',
        'ratio',
        'coreStepsPerSecond',
        'storedOrderBytes',
      ]),
    )
    expect(all(figures)).toBe(true)
  })

  it('measure deliveries beside bare clients', async () => {
    const figures = await run('./deliveries.ts', '--events', '400')
    expect(Object.keys(figures)).toEqual(
      expect.arrayContaining(['deliveriesPerSecond', 'nodeHttpPerSecond', 'undiciPerSecond', 'ratio', 'peakMegabytes']),
    )
    expect(all(figures)).toBe(true)
  })
})
