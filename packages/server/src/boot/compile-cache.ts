// The entry points import this first: it keeps compiled code for the next start and for this process's threads, which would
// otherwise strip types and compile everything again. The cache is inside this package, wherever that is installed. If it
// cannot be written, everything works without it.
import { constants, enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

// Threads learn the folder only from this variable. The operator may have set a folder of their own.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const { status } = enableCompileCache(FOLDER)
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = FOLDER
}
