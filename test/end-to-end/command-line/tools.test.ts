// The scripts in package.json other than plazo itself must also have a help text.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

// The scripts that run one program, for example `node test/faults/cluster/crash.ts`.
const tools = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^node (?:--import \S+ |--\S+ )*(\S+\.ts)$/.exec(script) ?? []
  return file === undefined || name === 'start' || name === 'plazo' || name === 'demo'
    ? []
    : [[name, file] as const]
})

describe('pnpm', () => {
  it.each(tools)('%s --help prints its usage, and does nothing', async (name, file) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, '--help'], {
      cwd: root,
    })
    expect(stdout).toMatch(new RegExp(`^pnpm ${name} `))
    expect(stderr).toBe('')
  })

  it('has a script for each of these tools', () => {
    expect(tools.map(([name]) => name)).toEqual([
      'machine',
      'pictures',
      'paint',
      'blocks',
      'unread',
      'crash',
      'nodes',
      'path',
      'hosts',
      'size',
      'isolation',
      'bench',
      'full-disk',
      'mutate',
      'restate',
      'rolling-upgrade',
      'simulate',
    ])
  })
})
