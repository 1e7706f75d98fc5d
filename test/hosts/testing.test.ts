// The programs of docs/testing.md are run as they stand: what they tell vitest becomes part of this file.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startServer } from '../support/running-server.ts'

const guide = fileURLToPath(new URL('../../docs/testing.md', import.meta.url))
const folder = fileURLToPath(new URL('./generated/testing', import.meta.url))

const programs = [...readFileSync(guide, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program)

const server = await startServer()
process.env.SERVER_URL = server.url
vi.spyOn(console, 'log').mockImplementation(() => {})
mkdirSync(folder, { recursive: true })

afterAll(async () => {
  delete process.env.SERVER_URL
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
})

for (const [index, program] of programs.entries()) {
  const file = `${folder}/program-${index}.ts`
  writeFileSync(file, program)
  await import(file)
}

describe('docs/testing.md', () => {
  it('shows seven uses, each in about twenty lines at most, but where a receiver of requests is among them', () => {
    expect(programs).toHaveLength(7)
    for (const program of programs)
      expect(program.trim().split('\n').length).toBeLessThanOrEqual(program.includes('createServer') ? 46 : 24)
  })

  it('gives the one that takes longer than vitest waits a limit of its own', () => {
    expect(programs.find((program) => program.includes('conform('))).toMatch(/^\}, \d/m)
  })
})
