// The guide to embedding is run as it stands, so that it cannot become untrue.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const guide = fileURLToPath(new URL('../../docs/embedding.md', import.meta.url))
const folder = fileURLToPath(new URL('./generated', import.meta.url))

const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? []

describe('the program in docs/embedding.md', () => {
  afterAll(() => rmSync(`${folder}/embedding.ts`, { force: true }))

  it('takes a checkout from its first submission to finish', () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${folder}/embedding.ts`, program)
    const printed = execFileSync(process.execPath, [`${folder}/embedding.ts`], { encoding: 'utf8' })
    expect([...printed.matchAll(/action: '(\w+)'/g)].map(([, action]) => action)).toEqual([
      'require_validate_otp',
      'wait_for_screening',
      'wait_for_confirmation',
      'finish',
    ])
  })

  it('is about sixty lines, with its blank ones, that fit a page', () => {
    const lines = program.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(64)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  })
})
