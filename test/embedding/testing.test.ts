// Runs the programs of docs/testing.md unchanged. The tests that they define become tests of this file.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startServer } from '../harness/running-server.ts'

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
  it('shows seven uses, each in about twenty lines, except the one with a request receiver', () => {
    expect(programs).toHaveLength(7)
    for (const program of programs)
      expect(program.trim().split('\n').length).toBeLessThanOrEqual(program.includes('createServer') ? 46 : 24)
  })

  it('gives the program that exceeds vitest’s timeout its own limit', () => {
    expect(programs.find((program) => program.includes('conform('))).toMatch(/^\}, \d/m)
  })
})
