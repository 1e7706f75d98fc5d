// A Node that cannot run plazo gets one sentence and not a stack. The tests have no such Node, so
// the version is changed before the program starts.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

const runWithNode = (version: string, words: readonly string[]) => {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(versions)}`, ...words],
    {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DATABASE_URL: 'sqlite::memory:' },
    },
  )
  return { status, stdout, stderr }
}

/** The words after `node` of a script in package.json. */
const wordsOf = (script: string): readonly string[] => (scripts[script] ?? '').split(' ').slice(1)

// The program of the guide imports nothing before it has checked the version.
const shop =
  /```js\n([\s\S]*?)```/.exec(readFileSync(`${root}/docs/receiving.md`, 'utf8'))?.[1] ?? ''

describe('Node 22.17.1', () => {
  const version = '22.17.1'

  it('ends the shop of the receiving guide with one sentence', () => {
    const result = runWithNode(version, ['--input-type=module', '--eval', shop])
    expect(result).toEqual({
      status: 1,
      stdout: '',
      stderr: `This shop needs Node 22.18 or later; this is ${version}.\n`,
    })
  })

  it.each(['start', 'plazo', 'demo'])('ends pnpm %s with one sentence', (script) => {
    expect(runWithNode(version, wordsOf(script))).toEqual({
      status: 1,
      stdout: '',
      stderr: `plazo needs Node 22.18 or later; this is ${version}.\n`,
    })
  })
})

it('Node 22.18.0 runs plazo', () => {
  const { status, stdout } = runWithNode('22.18.0', [...wordsOf('plazo'), '--version'])
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})
