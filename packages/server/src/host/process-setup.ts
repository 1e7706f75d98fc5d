// The entry points import this before anything else: it must come before code is compiled and
// before threads are used.
import { constants, enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Of the whole process's threads, at most half resolve names. With the default of four threads, two
// lookups that hang would block the lookups of everybody. So there is one thread for each request
// that may be in flight by default, and as many again. An idle thread costs some 10 kB.
process.env.UV_THREADPOOL_SIZE ??= '128'

// Keeps compiled code for the next start and for this process's threads, which would otherwise
// strip types and compile everything again. The cache is inside this package, wherever that is
// installed. If it cannot be written, everything works without it.
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

// Threads learn the folder only from this variable. The operator may have set a folder of their
// own.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const { status } = enableCompileCache(FOLDER)
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = FOLDER
}

// V8 learns from its first collections which places of the code create objects that live long, and
// creates those in the old generation from then on. Under load it mistakes objects of one request
// for such objects. They stay until a full collection, with everything that they refer to.
setFlagsFromString('--no-allocation-site-pretenuring')

// Without a listener, Node opens its debugger to everybody on this machine. The start script also
// has `--disable-sigusr1`, which holds from the first instruction.
process.on('SIGUSR1', () => {})
