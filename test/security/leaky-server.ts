// The server as `pnpm start` runs it, with providers that put their whole request into their errors
// and fail in every possible way. The shopper's given names select the way.
import type { ProviderError } from '@plazo/core/ports'
import { openLog, serve } from '@plazo/server'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { exitOnCrash } from '../../packages/server/src/log/error-reporter.ts'
import { composeInMode, configFrom } from '../harness/config.ts'

const config = configFrom(process.env)
const log = openLog(config.logLevel)
exitOnCrash(log)

const failWithSecrets = (request: unknown): TE.TaskEither<ProviderError, never> => {
  const all = JSON.stringify(request)
  if (all.includes('throws')) throw new TypeError(all)
  if (all.includes('rejects'))
    return () => Promise.reject(Object.assign(new Error(all), { code: all, name: all }))
  if (all.includes('crashes'))
    setTimeout(() => Promise.reject(new Error(`${all}\n    at ${all} (/x/${all}.ts:1:1)`)))
  if (all.includes('warns')) process.emitWarning(all, { code: all, detail: all })
  return TE.left({ _tag: 'ProviderError', reason: 'other', message: all })
}

const serving = await serve(config, log, {
  compose: composeInMode,
  wrapProviders: ({ payments, ...others }) => ({
    ...others,
    screening: { screen: (request) => failWithSecrets(request) },
    ...(payments && { payments: { ...payments, recall: (request) => failWithSecrets(request) } }),
  }),
})
process.stdout.write(`plazo is listening on ${serving.baseUrl}\n`)
