// Bundles the browser's code and styles with esbuild, so that a page needs one request for each.
// It runs when a server starts from a clone, and when the package is packed. A packaged server
// needs no esbuild.
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
  // docs/hosted-form.md, Browsers.
  target: ['chrome96', 'firefox94', 'safari15.1'],
} satisfies BuildOptions

/** A script that imports a style sheet gets its text, for a shadow root. */
const stylesAsText: Plugin = {
  name: 'styles as text',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /\.css$/ }, ({ path, resolveDir, kind }) =>
      kind === 'import-statement'
        ? { path: fileURLToPath(new URL(path, `file://${resolveDir}/`)), namespace: 'text' }
        : null,
    )
    onLoad({ filter: /\.css$/, namespace: 'text' }, async ({ path }) => {
      const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path] })
      return { contents: outputFiles[0]?.text ?? '', loader: 'text' }
    })
  },
}

/**
 * Texts by their paths from `src/`: `docs/style.css`, `docs/script/reference.entry.js`. Scripts that
 * a page loads are named `….entry.ts`.
 */
export const bundle = async (): Promise<Readonly<Record<string, string>>> => {
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: ['**/script/*.entry.ts', '**/*.css'],
    plugins: [stylesAsText],
  })
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [relative(SOURCES, path).split(sep).join('/'), text]),
  )
}
