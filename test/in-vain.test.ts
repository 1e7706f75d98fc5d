// Nothing is there in vain: no file of a package that nothing leads to, no export that nobody uses, and nothing at a door that
// nobody comes for.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Declared, doorsIn, standingAt, typesIn } from './support/doors.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = join(root, 'packages')

// What tests write and take away again while this one reads is left out.
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return join(folder, entry.name)
    return entry.name === 'generated' ? [] : filesIn(join(folder, entry.name))
  })

describe('nothing is there in vain', () => {
  const NAMES = ['core', 'adapters', 'server']

  const manifest = (folder: string): { readonly [part: string]: Readonly<Record<string, string>> | undefined } =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  // What others import by a package's name, and what is run.
  const doors = NAMES.flatMap((name) => {
    const { exports = {}, bin = {} } = manifest(join(packages, name))
    return [...Object.values(exports), ...Object.values(bin)].map((file) => join(packages, name, file))
  })
  const programs = Object.values(manifest(root).scripts ?? {}).flatMap((script) =>
    [...script.matchAll(/packages\/\S+\.ts/g)].map(([file]) => join(root, file)),
  )

  /** With what is loaded later, or by its URL: threads, and scripts of pages. */
  const loadedBy = (file: string): readonly string[] =>
    [
      ...readFileSync(file, 'utf8').matchAll(/(?:from |import |import\(|new URL\(|threadFile\()'(\.[^']+\.[jt]s)'/g),
    ].map(([, target = '']) => resolve(dirname(file), target))

  it('no file is: each is reached from a door of its package, or by a program', () => {
    const reached = new Set<string>()
    const reach = (file: string): void => {
      if (reached.has(file) || !existsSync(file)) return
      reached.add(file)
      loadedBy(file).forEach(reach)
    }
    for (const file of [...doors, ...programs]) reach(file)
    const files = NAMES.flatMap((name) => filesIn(join(packages, name, 'src'))).filter(
      (file) => /\.[jt]s$/.test(file) && !file.endsWith('.test.ts'),
    )
    const left = files.filter((file) => !reached.has(file)).map((file) => relative(packages, file))
    expect(left).toEqual([])
  })

  it('no export is: each is named by another file, if it stands in no door', () => {
    const all = [...NAMES.map((name) => join(packages, name, 'src')), join(root, 'test')]
      .flatMap(filesIn)
      .filter((file) => file.endsWith('.ts'))
    const open = new Set(doors)
    const named = new Set<string>()
    for (const file of all) {
      const text = readFileSync(file, 'utf8')
      for (const [, target = ''] of text.matchAll(/\* from '(\.[^']+)'/g)) open.add(resolve(dirname(file), target))
      for (const [, names = '', target = ''] of text.matchAll(/\{([^{}]*)\}(?: from | = await import\()'(\.[^']+)'/g))
        for (const name of names.match(/\w+/g) ?? []) named.add(`${resolve(dirname(file), target)} ${name}`)
    }
    const left = all
      .filter((file) => !open.has(file))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8')
        return [...text.matchAll(/^export (?:async )?(?:const|type|function|class) (\w+)/gm)]
          .map(([, name = '']) => name)
          .filter((name) => !named.has(`${file} ${name}`))
          .map((name) => `${relative(root, file)} ${name}`)
      })
    expect(left).toEqual([])
  })

  it('nothing at a door is: others import it or a guide tells of it, or it is a type in what they do', () => {
    const guides = filesIn(join(root, 'docs')).filter((file) => file.endsWith('.md'))
    const sources = [
      join(packages, 'core/src'),
      join(packages, 'adapters'),
      join(packages, 'server'),
      join(root, 'test'),
    ]
      .flatMap(filesIn)
      .filter((file) => file.endsWith('.ts'))
    const wanted = new Set<string>()
    for (const file of [...sources, ...guides])
      for (const [, names = '', door] of readFileSync(file, 'utf8').matchAll(
        /\{([^{}]*)\}(?: from | = await import\()'(@plazo\/[^']+)'/g,
      ))
        for (const name of names.match(/\w+/g) ?? []) wanted.add(`${door} ${name}`)
    const told = new Set(
      guides
        .flatMap((file) => readFileSync(file, 'utf8').match(/`[^`\n]+`/g) ?? [])
        .flatMap((code) => code.match(/\w+/g)),
    )

    const standing = NAMES.flatMap((name) => [...doorsIn(join(packages, name))]).flatMap(([door, file]) =>
      [...standingAt(file)].map(([name, it]) => ({ door, name, it, key: `${it.file} ${it.name}` })),
    )
    const used = new Set<string>()
    const use = (it: Declared): void => {
      const key = `${it.file} ${it.name}`
      if (used.has(key)) return
      used.add(key)
      typesIn(it).forEach(use)
    }
    for (const { door, name, it } of standing) if (wanted.has(`${door} ${name}`) || told.has(name)) use(it)
    expect(standing.length).toBeGreaterThan(300)
    expect(standing.filter(({ key }) => !used.has(key)).map(({ door, name }) => `${door} ${name}`)).toEqual([])
  })
})
