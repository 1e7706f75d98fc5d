// The scripts and style sheets of all pages. They are read once, at the first use. A server that
// runs from a clone bundles them then. The package has them in one file.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const PACKED = new URL('../../browser-files.json', import.meta.url)

const isPackaged = import.meta.url.endsWith('.js')

const readFiles = async (): Promise<Assets['files']> => {
  if (isPackaged) return JSON.parse(await readFile(PACKED, 'utf8'))
  const { bundle } = await import('./bundle.ts')
  return bundle()
}

export type BrowserScript = {
  /** A module with all that it imports. */
  readonly body: string
  /**
   * The path from the server's base URL. It changes with the code, so browsers never run an old
   * copy.
   */
  readonly path: string
}

type Assets = {
  /** By the last part of their paths: `reference.js` for `api/docs/script/reference.entry.ts`. */
  readonly scripts: ReadonlyMap<string, BrowserScript>
  /** Texts by their paths from `src/`, in the form `api/docs/script/reference.entry.js`. */
  readonly files: Readonly<Record<string, string>>
}

export const MODULES_PATH = 'sdk/pages'

const toScript = (file: string, body: string): BrowserScript => {
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return { body, path: `${MODULES_PATH}/${file}?v=${version}` }
}

const readAssets = async (): Promise<Assets> => {
  const files = await readFiles()
  const scripts = Object.entries(files).flatMap(([path, body]) => {
    const [, name] = /([\w-]+)\.entry\.js$/.exec(path) ?? []
    const file = `${name}.js`
    return name === undefined ? [] : [[file, toScript(file, body)] as const]
  })
  return { files, scripts: new Map(scripts) }
}

let assets: Promise<Assets> | undefined

/** Reads all files, so that the first page need not wait for them. */
export const loadBrowserFiles = (): Promise<Assets> => {
  assets ??= readAssets()
  return assets
}

/** `file`: the last part of its path, without the version. Undefined: there is no such script. */
export const findScript = async (file: string): Promise<BrowserScript | undefined> =>
  (await loadBrowserFiles()).scripts.get(file)

/** `name`: `reference` for `api/docs/script/reference.entry.ts`. */
export const readScript = async (name: string): Promise<BrowserScript> => {
  const script = await findScript(`${name}.js`)
  if (script === undefined) throw new Error(`No script is named ${name}.entry.ts.`)
  return script
}

/** `path`: of a style sheet from `src/`, such as `api/docs/style.css`. */
export const readStyle = async (path: string): Promise<string> => {
  const style = (await loadBrowserFiles()).files[path]
  if (style === undefined) throw new Error(`No style sheet is at ${path}.`)
  return style
}

/**
 * A script that any page may include, from any origin. Its code runs in a function of its own,
 * whose parameter is the constant `SERVICE` that it declares.
 */
export const toClassicScript = ({ body }: BrowserScript, service: string): string =>
  `((SERVICE) => {\n${body}\n})(${JSON.stringify(service)})\n`
