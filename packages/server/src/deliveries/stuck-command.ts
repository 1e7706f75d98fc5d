// `plazo stuck`: lists jobs whose result could not be applied because of an internal error, and
// retries them. Contract §6, Stuck.
import { type Json, PlazoCommand, withStorage } from '../command-line/command.ts'
import { say, sayList, valueOrRefuse } from '../command-line/terminal.ts'

const list = withStorage(async ({ store }, { json }: Json) => {
  const stuck = await valueOrRefuse(store.stuckJobs())
  if (json)
    return say(
      JSON.stringify(
        stuck.map(({ key, orderRef, message }) => ({ key, order_ref: orderRef, message })),
      ),
    )
  sayList(
    ['key', 'why'],
    stuck.map(({ key, message }) => [key, message]),
    'No job is stuck.',
  )
})

const retry = withStorage(async ({ store, serviceClock }, key: string, { json }: Json) => {
  await valueOrRefuse(store.retryStuckJob(key, serviceClock.now()), {
    JobNotFound: () =>
      `No stuck job has the key ${JSON.stringify(key)}. \`plazo stuck list\` lists all stuck jobs.`,
  })
  say(json ? JSON.stringify({ key, released: true }) : `${key} is due now.`)
})

export const stuckCommand = (): PlazoCommand => {
  const stuck = new PlazoCommand('stuck')
    .description('jobs whose result could not be applied because of an internal error')
    .examples(
      'plazo stuck list',
      'plazo stuck retry 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening',
    )
  stuck
    .command('list')
    .description('lists each stuck job: its key, and the error')
    .json(': [{key, order_ref, message}]')
    .examples('plazo stuck list', 'plazo stuck list --json')
    .action(list)
  stuck
    .command('retry')
    .description('runs a job again, under the same key; fix the error first')
    .argument('<key>', 'as `plazo stuck list` shows it')
    .json(': {key, released}')
    .examples('plazo stuck retry 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10:2:screening')
    .action(retry)
  return stuck
}
