// Browser code is TypeScript that the compiler checks. No build step makes JavaScript of it: Node
// erases its types when the script is first requested. A page loads each of its scripts with one
// request, because a phone waits for every further one.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'

export type BrowserScript = {
  /** The file's name, which is the end of its path. */
  readonly name: string
  /**
   * The path of a module, from the server's base URL. It changes with the code, so browsers never
   * run an old copy.
   */
  readonly path: string
  /** The module and all that it imports, as one module. */
  readonly body: () => string
}

export const MODULES_PATH = 'sdk/pages'

const isPackaged = import.meta.url.endsWith('.js')

// The package carries the code with its types already erased. Node warns that this function may
// change. The tests notice if it does.
const eraseTypes = (source: string): string => {
  if (isPackaged) return source
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return nodeModule.stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

// A shopper's phone should not load them. A comment after code stays, because finding it needs a
// parser.
const dropComments = (code: string): string =>
  code.replace(/^[ \t]*(?:\/\/.*|\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)\n/gm, '')

// Imports of types vanish with the types.
const IMPORT = /^import (?!type )(?:([^']*) from )?'(\.\.?\/[\w./-]+)\.[jt]s';?$/gm
const EXPORT = /^export (?=(?:async )?(?:const|function|class) (\w+))/gm

const importedFile = (place: string, file: string): string => new URL(`${place}.ts`, file).href

/**
 * The sources by the URLs of their files. Each follows those that it imports, which is the order in
 * which they run. Imports must not form a cycle.
 */
const readModules = (
  file: string,
  sources = new Map<string, string>(),
): ReadonlyMap<string, string> => {
  if (sources.has(file)) return sources
  const source = readFileSync(new URL(isPackaged ? file.replace(/\.ts$/, '.js') : file), 'utf8')
  for (const [, , place = ''] of source.matchAll(IMPORT))
    readModules(importedFile(place, file), sources)
  return sources.set(file, source)
}

/** The names of an import, as a constant declares them. */
const toPattern = (names: string): string => names.replace('* as ', '').replaceAll(' as ', ': ')

/**
 * Every module but the last becomes a function that returns its exports, so that names of two
 * modules never meet.
 */
const joinModules = (sources: ReadonlyMap<string, string>): string => {
  const files = [...sources.keys()]
  const resultOf = (file: string): string => `module${files.indexOf(file)}`
  return files
    .map((file, at) => {
      const code = dropComments(eraseTypes(sources.get(file) ?? '')).replace(
        IMPORT,
        (_, names: string | undefined, place: string) =>
          names === undefined
            ? ''
            : `const ${toPattern(names)} = ${resultOf(importedFile(place, file))}`,
      )
      const [foreign] = /^(?:import|export) .*/m.exec(withoutExports(code)) ?? []
      if (foreign !== undefined)
        throw new Error(`${file} must not have the line "${foreign}": it cannot be joined.`)
      if (at === files.length - 1) return code
      const names = [...code.matchAll(EXPORT)].map(([, name]) => name)
      return `const ${resultOf(file)} = (() => {\n${withoutExports(code)}\nreturn { ${names.join(', ')} }\n})()\n`
    })
    .join('')
}

const withoutExports = (code: string): string => code.replace(EXPORT, '')

/**
 * `file`: a source under `browser/`, with the ending `.ts`. What it imports must not need Node
 * either.
 */
export const browserScript = (file: URL): BrowserScript => {
  const sources = readModules(file.href)
  const name = file.pathname.replace(/^.*\/|\.ts$/g, '').concat('.js')
  const version = createHash('sha256')
    .update([...sources.values()].join('\0'))
    .digest('base64url')
    .slice(0, 16)
  let body: string | undefined
  return {
    name,
    path: `${MODULES_PATH}/${name}?v=${version}`,
    body: () => {
      body ??= joinModules(sources)
      return body
    },
  }
}

/**
 * A script that any page may include, from any origin. Browsers load modules of other origins only
 * with CORS headers. Its code runs in a function of its own, whose parameter is the constant
 * `SERVICE` that it declares.
 */
export const classicScript = (script: BrowserScript, service: string): string =>
  `((SERVICE) => {\n${withoutExports(script.body())}\n})(${JSON.stringify(service)})\n`

/** The scripts of all pages by name: pages load them, and one route serves them. */
export const SCRIPTS = {
  checkoutDriver: browserScript(
    new URL('../../checkout/script/checkout-driver.ts', import.meta.url),
  ),
  checkoutElement: browserScript(
    new URL('../../checkout/script/checkout-element.ts', import.meta.url),
  ),
  clock: browserScript(new URL('../../sandbox/script/sandbox-clock.ts', import.meta.url)),
  copyButtons: browserScript(new URL('./script/copy-buttons.ts', import.meta.url)),
  drills: browserScript(new URL('../../sandbox/script/drills-element.ts', import.meta.url)),
  frontPage: browserScript(
    new URL('../../sandbox/front-page/script/front-page.ts', import.meta.url),
  ),
  liveList: browserScript(new URL('../../sandbox/script/live-list.ts', import.meta.url)),
  machine: browserScript(new URL('../../machine/script/machine-element.ts', import.meta.url)),
  /** Includes the element. */
  machineOrder: browserScript(new URL('../../machine/script/machine-order.ts', import.meta.url)),
  paymentFrame: browserScript(new URL('../../providers/script/payment-frame.ts', import.meta.url)),
  reference: browserScript(new URL('../../docs/script/reference.ts', import.meta.url)),
}
