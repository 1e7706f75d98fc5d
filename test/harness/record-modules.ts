// Loaded before a program by `--import`: appends the URL of every module that the program loads to
// the file LOADED_MODULES, so that a test sees what a server loads.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { LOADED_MODULES = '' } = process.env

registerHooks({
  load: (url, context, nextLoad) => {
    appendFileSync(LOADED_MODULES, `${url}\n`)
    return nextLoad(url, context)
  },
})
