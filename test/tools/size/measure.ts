// Measures each folder of the project, so that growth shows where it happens. Every text file below a
// package's `src` counts, so that code keeps its size in another folder or under another name.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryPointsOf, publicNamesOf } from '../../harness/package-exports.ts'
import { countTokens } from './tokens.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const PACKAGES = ['core', 'adapters', 'server'] as const

export type Part = 'production' | 'tests'

export type Size = { readonly files: number; readonly lines: number; readonly tokens: number }

/** `folder`: a folder of `test/` or of a package's source, such as `core/order`. */
export type MeasuredFile = Size & {
  readonly path: string
  readonly folder: string
  readonly part: Part
}

const partOf = (path: string): Part =>
  /^test\/|^packages\/core\/src\/testing\/|\.test\.tsx?$/.test(path) ? 'tests' : 'production'

/** `core/order` for `packages/core/src/order/machine/guards.ts`. */
const folderOf = (path: string): string => {
  const folders = path
    .replace(/^packages\/(\w+)(?:\/src)?/, '$1')
    .split('/')
    .slice(0, -1)
  return folders.slice(0, 2).join('/')
}

const BUILT_OR_INSTALLED = /\/node_modules$|^packages\/\w+\/dist$|^test\/embedding\/generated$/
const SOURCE = /^packages\/\w+\/src\/|\.(?:[cm]?[jt]sx?|css|html|svg)$/
const GENERATED = /\/machine-data\.json$/

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return BUILT_OR_INSTALLED.test(path) ? [] : filesUnder(path)
  })

const isText = (path: string): boolean => !readFileSync(join(root, path)).includes(0)

const measureFile = (path: string): MeasuredFile => {
  const text = readFileSync(join(root, path), 'utf8')
  return {
    path,
    folder: folderOf(path),
    part: partOf(path),
    files: 1,
    lines: text.split('\n').length - 1,
    tokens: countTokens(text, path),
  }
}

/** Measures all code of the packages and of `test/`. */
export const measureFiles = (): readonly MeasuredFile[] =>
  ['packages', 'test']
    .flatMap(filesUnder)
    .filter((path) => SOURCE.test(path) && !GENERATED.test(path) && isText(path))
    .map(measureFile)

export const sumOf = (files: readonly Size[]): Size =>
  files.reduce(
    (sum, { files, lines, tokens }) => ({
      files: sum.files + files,
      lines: sum.lines + lines,
      tokens: sum.tokens + tokens,
    }),
    { files: 0, lines: 0, tokens: 0 },
  )

/** The number of public names of each entry, such as `@plazo/core/testing`. */
export const countPublicNames = (): ReadonlyMap<string, number> =>
  new Map(
    PACKAGES.flatMap((name) => [...entryPointsOf(join(root, 'packages', name))]).map(
      ([entry, file]) => [entry, publicNamesOf(file).size],
    ),
  )
