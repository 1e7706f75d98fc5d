// Unused code misleads readers. This finds files of a package that nothing imports, exports that
// nobody uses, and public exports that nobody needs or that an editor cannot explain.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  type DeclaredName,
  docCommentsOf,
  entryPointsOf,
  exportsOf,
  usedTypes,
} from './harness/package-exports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = join(root, 'packages')

// Leaves out the files that other tests create and delete meanwhile.
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return join(folder, entry.name)
    return entry.name === 'generated' ? [] : filesIn(join(folder, entry.name))
  })

describe('no code is unused', () => {
  const NAMES = ['core', 'adapters', 'server']

  const manifest = (
    folder: string,
  ): { readonly [part: string]: Readonly<Record<string, string>> | undefined } =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  // The files that packages export, and those that are run.
  const entryPoints = NAMES.flatMap((name) => {
    const { exports = {}, bin = {} } = manifest(join(packages, name))
    return [...Object.values(exports), ...Object.values(bin)].map((file) =>
      join(packages, name, file),
    )
  })
  const programs = Object.values(manifest(root).scripts ?? {}).flatMap((script) =>
    [...script.matchAll(/packages\/\S+\.m?[jt]s/g)].map(([file]) => join(root, file)),
  )

  /** Includes files that are loaded later or by URL: threads, and scripts of pages. */
  const loadedBy = (file: string): readonly string[] =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(?:from |import |import\(|new URL\()'(\.[^']+\.m?[jt]sx?)'/g,
      ),
    ].map(([, target = '']) => resolve(dirname(file), target))

  it('each file is reached from an export of its package, or by a program', () => {
    const reached = new Set<string>()
    const reach = (file: string): void => {
      if (reached.has(file) || !existsSync(file)) return
      reached.add(file)
      loadedBy(file).forEach(reach)
    }
    const files = NAMES.flatMap((name) => filesIn(join(packages, name, 'src'))).filter(
      (file) => /\.(?:[jt]s|tsx)$/.test(file) && !/\.(?:test|d)\.ts$/.test(file),
    )
    // Pages load these by name.
    const scripts = files.filter((file) => /\.entry\.tsx?$/.test(file))
    for (const file of [...entryPoints, ...programs, ...scripts]) reach(file)
    const unused = files
      .filter((file) => !reached.has(file))
      .map((file) => relative(packages, file))
    expect(unused).toEqual([])
  })

  it('each export is named by another file, unless it is public', () => {
    const all = [...NAMES.map((name) => join(packages, name, 'src')), join(root, 'test')]
      .flatMap(filesIn)
      .filter((file) => /\.tsx?$/.test(file))
    const open = new Set(entryPoints)
    const named = new Set<string>()
    for (const file of all) {
      const text = readFileSync(file, 'utf8')
      for (const [, target = ''] of text.matchAll(/\* from '(\.[^']+)'/g))
        open.add(resolve(dirname(file), target))
      for (const [, names = '', target = ''] of text.matchAll(
        /\{([^{}]*)\}(?: from | = await import\(\s*)'(\.[^']+)'/g,
      ))
        for (const name of names.match(/\w+/g) ?? [])
          named.add(`${resolve(dirname(file), target)} ${name}`)
    }
    const unused = all
      .filter((file) => !open.has(file))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8')
        return [...text.matchAll(/^export (?:async )?(?:const|type|function|class) (\w+)/gm)]
          .map(([, name = '']) => name)
          .filter((name) => !named.has(`${file} ${name}`))
          .map((name) => `${relative(root, file)} ${name}`)
      })
    expect(unused).toEqual([])
  })

  it('every public export is imported, documented, or used in a public type', () => {
    const guides = filesIn(join(root, 'docs')).filter((file) => file.endsWith('.md'))
    const sources = [
      join(packages, 'core/src'),
      join(packages, 'adapters'),
      join(packages, 'server'),
      join(root, 'test'),
    ]
      .flatMap(filesIn)
      .filter((file) => /\.tsx?$/.test(file))
    const importedNames = new Set<string>()
    for (const file of [...sources, ...guides])
      for (const [, names = ''] of readFileSync(file, 'utf8').matchAll(
        /\{([^{}]*)\}(?: from | = await import\(\s*)'@plazo\/[^']+'/g,
      ))
        for (const name of names.match(/\w+/g) ?? []) importedNames.add(name)
    const documentedNames = new Set(
      guides
        .flatMap((file) => readFileSync(file, 'utf8').match(/`[^`\n]+`/g) ?? [])
        .flatMap((code) => code.match(/\w+/g)),
    )

    const publicExports = NAMES.flatMap((name) => [...entryPointsOf(join(packages, name))]).flatMap(
      ([door, file]) =>
        [...exportsOf(file)].map(([name, it]) => ({
          door,
          name,
          it,
          key: `${it.file} ${it.name}`,
        })),
    )
    const used = new Set<string>()
    const use = (it: DeclaredName): void => {
      const key = `${it.file} ${it.name}`
      if (used.has(key)) return
      used.add(key)
      usedTypes(it).forEach(use)
    }
    for (const { name, it } of publicExports)
      if (importedNames.has(name) || documentedNames.has(name)) use(it)
    expect(publicExports.length).toBeGreaterThan(200)
    expect(
      publicExports.filter(({ key }) => !used.has(key)).map(({ door, name }) => `${door} ${name}`),
    ).toEqual([])
  })

  it('every public export has a doc comment, and every use case an example', () => {
    const comments = new Map(NAMES.flatMap((name) => [...docCommentsOf(join(packages, name))]))
    expect([...comments].filter(([, text]) => text === null).map(([key]) => key)).toEqual([])
    const useCases = ['@plazo/core', '@plazo/core/machine'].flatMap((door) =>
      [...exportsOf(entryPointsOf(join(packages, 'core')).get(door) ?? '')].flatMap(
        ([name, { file }]) =>
          file.includes('/checkout/') && /^[a-z]/.test(name) ? [`${door} ${name}`] : [],
      ),
    )
    expect(useCases.length).toBeGreaterThan(30)
    expect(useCases.filter((key) => comments.get(key)?.includes('@example') !== true)).toEqual([])
  })
})
