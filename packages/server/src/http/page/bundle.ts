// Bundles the browser's code and styles with esbuild, so that a page needs one request for each.
// It runs when a server starts from a clone, and when the package is packed. A packaged server
// needs no esbuild.
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const SOURCES = fileURLToPath(new URL('../..', import.meta.url))

const OPTIONS = {
  absWorkingDir: SOURCES,
  outdir: SOURCES,
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
  tsconfigRaw: {},
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx/dom',
  // docs/hosted-form.md, Browsers.
  target: ['chrome96', 'firefox94', 'safari15.1'],
} satisfies BuildOptions

type Texts = Readonly<Record<string, string>>

/** By their paths from `src/`. */
const bundleFiles = async (entryPoints: string[], plugins: Plugin[] = []): Promise<Texts> => {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints, plugins })
  return Object.fromEntries(outputFiles.map(({ path, text }) => [nameOf(path), text]))
}

const nameOf = (path: string): string => relative(SOURCES, path).split(sep).join('/')

/** A script that imports a style sheet gets its text, for a shadow root. */
const stylesAsText = (styles: Texts): Plugin => ({
  name: 'styles as text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, ({ path }) => ({
      contents: styles[nameOf(path)] ?? '',
      loader: 'text',
    })),
})

/**
 * Many shops give their root 62.5 % of the browser's font. An element is no smaller than on a page
 * without styles, so that fields have 16 pixels: below that, phones zoom in.
 */
const withOwnRoot = (css: string): string =>
  `:host{--rem:max(16px,1rem)}${css.replace(/(-?[\d.]+)rem\b/g, 'calc($1*var(--rem))')}`

const SCRIPTS = ['**/*.entry.ts', '**/*.entry.tsx']

/**
 * Texts by their paths from `src/`: `api/checkout/style.css`, `api/providers/script/payment-frame.entry.js`.
 * Scripts that a page loads match `SCRIPTS`.
 */
export const bundle = async (): Promise<Texts> => {
  const sheets = await bundleFiles(['**/*.css'])
  const styles = Object.fromEntries(
    Object.entries(sheets).map(([name, css]) => [
      name,
      name.startsWith('elements/') ? withOwnRoot(css) : css,
    ]),
  )
  const guide = await readFile(new URL('../../../../../docs/receiving.md', import.meta.url), 'utf8')
  const scripts = await bundleFiles(SCRIPTS, [stylesAsText(styles)])
  return { ...styles, ...scripts, 'receiving.md': guide }
}
