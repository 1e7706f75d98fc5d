// Measures each folder of the project, so that growth shows where it happens. Generated files are a
// part of their own: nobody reads them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryPointsOf, publicNamesOf } from '../../harness/package-exports.ts'
import { countStyle, countTokens } from './tokens.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const PACKAGES = ['core', 'adapters', 'server'] as const

export type Part = 'production' | 'tests' | 'generated'

export type Size = { readonly files: number; readonly lines: number; readonly tokens: number }

/** `folder`: a folder of `test/` or of a package's source, such as `core/order`. */
type MeasuredFile = Size & { readonly path: string; readonly folder: string; readonly part: Part }

const partOf = (path: string): Part => {
  if (/generated|machine-data/.test(path)) return 'generated'
  const isTest = path.startsWith('test/') || path.includes('core/src/testing')
  return isTest || /\.(?:test|contract)\.ts$/.test(path) ? 'tests' : 'production'
}

/** `core/order` for `packages/core/src/order/machine/guards.ts`. */
const folderOf = (path: string): string => {
  const folders = path
    .replace(/^packages\/(\w+)(?:\/src)?/, '$1')
    .split('/')
    .slice(0, -1)
  return folders.slice(0, 2).join('/')
}

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesUnder(path)
  })

const measureFile = (path: string): MeasuredFile => {
  const text = readFileSync(join(root, path), 'utf8')
  return {
    path,
    folder: folderOf(path),
    part: partOf(path),
    files: 1,
    lines: text.split('\n').length - 1,
    tokens: path.endsWith('.css') ? countStyle(text) : countTokens(text),
  }
}

/** Measures all code of the packages and of `test/`. */
export const measureFiles = (): readonly MeasuredFile[] =>
  ['packages', 'test']
    .flatMap(filesUnder)
    .filter((path) => /\.(?:ts|js|mjs|css)$/.test(path) && !path.endsWith('.d.ts'))
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
      ([entry, file]) => [entry, publicNamesOf(file).length],
    ),
  )
