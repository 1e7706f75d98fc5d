// Puts the browser code into the package as JavaScript: a server that runs from the package need
// not load a compiler.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'

for (const file of globSync('**/script/**/*.ts', { cwd: 'src' }).filter(
  (file) => !file.endsWith('.test.ts'),
)) {
  const built = join('dist', file.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(built), { recursive: true })
  const code = stripTypeScriptTypes(readFileSync(join('src', file), 'utf8'))
  // The server imports some of these files too.
  writeFileSync(built, code.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"))
}
