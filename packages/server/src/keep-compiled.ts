// Imported first by what is run: what is compiled is kept for the next start and for this one's threads, which would strip
// types and compile all of it anew. It is kept inside this package, wherever that is installed. Where nothing can be written
// there, everything works as without.
import { constants, enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

// Threads are told by this name alone. Whoever runs plazo may have given a folder of his own.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const { status } = enableCompileCache(FOLDER)
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = FOLDER
}
