// The scripts and style sheets of all pages, and the guide that a sandbox shows. They are read once, at
// the first use. A server that runs from a clone bundles them then. The package has them in one file.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const PACKED = new URL('../../browser-files.json', import.meta.url)

const isPackaged = import.meta.url.endsWith('.js')

type BrowserFile = {
  /** With all that it imports. */
  readonly body: string
  /** From the server's base URL. It changes with the body, so browsers keep the file for ever. */
  readonly path: string
}

type BrowserFiles = ReadonlyMap<string, BrowserFile>

const withHash = (name: string, body: string): string => {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return name.replace(/\.\w+$/, `.${hash}$&`)
}

const readTexts = async (): Promise<Readonly<Record<string, string>>> => {
  if (isPackaged) return JSON.parse(await readFile(PACKED, 'utf8'))
  const { bundle } = await import('./bundle.ts')
  return bundle()
}

const readFiles = async (): Promise<BrowserFiles> => {
  const texts = await readTexts()
  return new Map(
    Object.entries(texts).map(([source, body]) => {
      const name = source.replace(/^.*\/([\w-]+)\.entry\.js$/, '$1.js')
      return [name, { body, path: `assets/${withHash(name, body)}` }]
    }),
  )
}

let files: Promise<BrowserFiles> | undefined

/**
 * Reads all files, so that the first page need not wait for them. Their names are `keys.js` for
 * the script `console/script/keys.entry.ts`, and the path from `src/` for a style sheet.
 */
export const loadBrowserFiles = (): Promise<BrowserFiles> => {
  files ??= readFiles()
  return files
}

export const readBrowserFile = async (name: string): Promise<BrowserFile> => {
  const file = (await loadBrowserFiles()).get(name)
  if (file === undefined) throw new Error(`No script or style sheet is named ${name}.`)
  return file
}
