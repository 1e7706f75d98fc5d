// Browser code is TypeScript that the compiler checks. No build step makes JavaScript of it: Node erases its types when the
// script is first requested. The package carries the code with its types already erased.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

export type BrowserScript = {
  /** The file's name, which is the end of its path. */
  readonly name: string
  /** The path of a module, from the server's base URL. It changes with the code, so browsers never run an old copy. */
  readonly path: string
  readonly body: () => string
  /** The modules that it imports. */
  readonly imports: readonly BrowserScript[]
}

export const MODULES_PATH = 'sdk/pages'

const isPackaged = import.meta.url.endsWith('.js')

// Node warns that this function may change. The tests notice if it does.
const eraseTypes = (source: string): string => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

// A shopper's phone should not load them. A comment after code stays, because finding it needs a parser.
const dropComments = (code: string): string =>
  code.replace(/^[ \t]*(?:\/\/.*|\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)\n/gm, '')

// Imports of types vanish with the types.
const IMPORT = /^import (?!type )([^']*)'(\.\.?\/[\w./-]+)\.[jt]s';?$/gm

/** `file`: a source under `browser/`, with the ending `.ts`. What it imports must not need Node either. */
export const browserScript = (file: URL): BrowserScript => {
  const imports: BrowserScript[] = []
  const source = readFileSync(isPackaged ? new URL(file.href.replace(/\.ts$/, '.js')) : file, 'utf8').replace(
    IMPORT,
    (_, names: string, place: string) => {
      const imported = browserScript(new URL(`${place}.ts`, file))
      imports.push(imported)
      return `import ${names}'./${imported.path.slice(MODULES_PATH.length + 1)}'`
    },
  )
  const name = file.pathname.replace(/^.*\/|\.ts$/g, '').concat('.js')
  const version = createHash('sha256').update(source).digest('base64url').slice(0, 16)
  let body: string | undefined
  return {
    name,
    path: `${MODULES_PATH}/${name}?v=${version}`,
    body: () => {
      body ??= dropComments(isPackaged ? source : eraseTypes(source))
      return body
    },
    imports,
  }
}

const inlineImports = ({ body, imports }: BrowserScript): string =>
  [
    ...imports.map(inlineImports),
    body()
      .replace(/^import [^']*'[^']*';?$/gm, '')
      .replace(/^export /gm, ''),
  ].join('\n')

/**
 * A script that any page may include, from any origin. Browsers load modules of other origins only with CORS headers. Its code
 * and that of its imports runs in a function of its own; `values` are the constants that it declares.
 */
export const classicScript = (script: BrowserScript, values: Readonly<Record<string, string>> = {}): string =>
  `((${Object.keys(values).join(', ')}) => {\n${inlineImports(script)}\n})(${Object.values(values)
    .map((value) => JSON.stringify(value))
    .join(', ')})\n`
