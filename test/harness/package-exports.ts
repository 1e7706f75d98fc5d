// Lists the public exports of a package, from its source or from its packed types: where each name
// is declared, what its doc comment says, and which types its declaration uses.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A name and the file that declares it. */
export type DeclaredName = { readonly file: string; readonly name: string }

type Declaration = { readonly text: string; readonly isType: boolean; readonly isExported: boolean }

type ParsedFile = {
  /** Imports and re-exports from other files, keyed by the local name. */
  readonly imported: ReadonlyMap<string, DeclaredName>
  readonly reexported: ReadonlyMap<string, DeclaredName>
  readonly all: readonly string[]
  /** The files that are exported as a namespace, keyed by its name. */
  readonly namespaces: ReadonlyMap<string, string>
  readonly own: ReadonlyMap<string, Declaration>
}

const files = new Map<string, ParsedFile>()

const parseNames = (list: string): readonly (readonly [own: string, theirs: string])[] =>
  list.split(',').flatMap((part) => {
    const [theirs = '', own = theirs] =
      part
        .replace(/\btype\b/, '')
        .match(/\w+/g)
        ?.filter((word) => word !== 'as') ?? []
    return theirs === '' ? [] : [[own, theirs] as const]
  })

const declarationsIn = (code: string): ReadonlyMap<string, Declaration> => {
  const starts = [
    ...code.matchAll(/^(export )?(?:declare |async )*(const|type|function|class) (\w+)/gm),
  ]
  const own = new Map<string, Declaration>()
  for (const [
    index,
    { 0: start, 1: exported, 2: kind, 3: name = '', index: at },
  ] of starts.entries()) {
    const before = own.get(name)
    own.set(name, {
      // A name that is both a value and a type has two declarations.
      text: (before?.text ?? '') + code.slice(at + start.length, starts[index + 1]?.index),
      isType: before?.isType === true || kind === 'type' || kind === 'class',
      isExported: exported !== undefined,
    })
  }
  return own
}

const parseFile = (file: string): ParsedFile => {
  const cached = files.get(file)
  if (cached !== undefined) return cached
  const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const source = (target: string): string => {
    const path = resolve(dirname(file), target)
    return file.endsWith('.d.ts') ? path.replace(/\.ts$/, '.d.ts') : path
  }
  const lists = (form: RegExp) =>
    new Map(
      [...code.matchAll(form)].flatMap(([, list = '', target = '']) =>
        parseNames(list).map(([own, name]) => [own, { file: source(target), name }] as const),
      ),
    )
  const parsed: ParsedFile = {
    imported: lists(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm),
    reexported: lists(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm),
    all: [...code.matchAll(/^export \* from '(\.[^']+)'/gm)].map(([, target = '']) =>
      source(target),
    ),
    namespaces: new Map(
      [...code.matchAll(/^export \* as (\w+) from '(\.[^']+)'/gm)].map(
        ([, name = '', target = '']) => [name, source(target)] as const,
      ),
    ),
    own: declarationsIn(code.replaceAll(/^(?:import|export) [^;=]*? from '[^']+'/gm, '')),
  }
  files.set(file, parsed)
  return parsed
}

const resolveDeclaration = ({ file, name }: DeclaredName): DeclaredName => {
  const { own, reexported, all } = parseFile(file)
  const elsewhere = reexported.get(name)
  if (elsewhere !== undefined) return resolveDeclaration(elsewhere)
  if (own.get(name)?.isExported === true) return { file, name }
  const other = all.find((target) => exportsOf(target).has(name))
  return other === undefined ? { file, name } : resolveDeclaration({ file: other, name })
}

/** Every name that a file exports, including re-exports, with the place of its declaration. */
export const exportsOf = (file: string): ReadonlyMap<string, DeclaredName> => {
  const { own, reexported, all } = parseFile(file)
  return new Map([
    ...all.flatMap((other) => [...exportsOf(other)]),
    ...[...own]
      .filter(([, { isExported }]) => isExported)
      .map(([name]) => [name, { file, name }] as const),
    ...[...reexported].map(([name, it]) => [name, resolveDeclaration(it)] as const),
  ])
}

const DOC_COMMENT = /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export )(?:declare |async )*\w+ (\w+)/gm

const commentsIn = (file: string): ReadonlyMap<string, string> =>
  new Map(
    [...readFileSync(file, 'utf8').matchAll(DOC_COMMENT)].map(
      ([, text = '', name = '']) => [name, text] as const,
    ),
  )

/**
 * The doc comment of every export of a package, by its entry and its name; null if it has none.
 * `folder` is that of the source or of the unpacked package, whose `.d.ts` files keep the comments.
 */
export const docCommentsOf = (folder: string): ReadonlyMap<string, string | null> => {
  const comments = new Map<string, ReadonlyMap<string, string>>()
  const commentOf = ({ file, name }: DeclaredName): string | null => {
    const found = comments.get(file) ?? commentsIn(file)
    comments.set(file, found)
    return found.get(name) ?? null
  }
  return new Map(
    [...entryPointsOf(folder)].flatMap(([entry, file]) =>
      [...exportsOf(file)].map(([name, it]) => [`${entry} ${name}`, commentOf(it)] as const),
    ),
  )
}

/** Like `exportsOf`, as a list that also has each namespace and its members, such as `money.sum`. */
export const publicNamesOf = (file: string): readonly string[] => [
  ...exportsOf(file).keys(),
  ...[...parseFile(file).namespaces].flatMap(([name, target]) => [
    name,
    ...publicNamesOf(target).map((member) => `${name}.${member}`),
  ]),
]

/** The `.d.ts` file of each import path of a package, also of the internal ones. */
export const allEntryPointsOf = (folder: string): ReadonlyMap<string, string> => {
  const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return new Map(
    Object.entries<string>(exports).map(([door, file]) => [
      join(name, door),
      join(folder, file.replace(/\.js$/, '.d.ts')),
    ]),
  )
}

/** The public entries: all but those named `…/internal`. */
export const entryPointsOf = (folder: string): ReadonlyMap<string, string> =>
  new Map([...allEntryPointsOf(folder)].filter(([door]) => !door.includes('/internal')))

// A type that others only intersect with, or pick from, is never used as a whole.
const PARTS = /(?<=^\s*=\s*|&\s*|\b(?:Pick|Omit|Partial)<\s*)\w+|\w+(?=\s*&)/g

/**
 * The exported types of the same package that a declaration uses, directly or through unexported
 * declarations. `isPart` is true if the type is only a building block of another type.
 */
export const usedTypes = (
  it: DeclaredName,
  visited = new Set<string>(),
): readonly (DeclaredName & { readonly isPart: boolean })[] => {
  const { own, imported } = parseFile(it.file)
  const text = own.get(it.name)?.text ?? ''
  const parts = new Set(text.match(PARTS))
  visited.add(`${it.file} ${it.name}`)
  return [...new Set(text.replaceAll(/'[^'\n]*'/g, '').match(/(?<!\.)\b[A-Za-z]\w*/g))].flatMap(
    (word) => {
      const from = imported.get(word)
      const target = from === undefined ? { file: it.file, name: word } : resolveDeclaration(from)
      const declaration = parseFile(target.file).own.get(target.name)
      if (declaration === undefined || visited.has(`${target.file} ${target.name}`)) return []
      const { isType, isExported } = declaration
      const isPart = parts.has(word)
      return [
        ...(isExported && isType ? [{ ...target, isPart }] : []),
        // TypeScript writes out the types of a value at each use, so the types that built it are
        // only parts.
        ...(isExported && !isPart
          ? []
          : usedTypes(target, visited).map((each) => (isType ? each : { ...each, isPart: true }))),
      ]
    },
  )
}
