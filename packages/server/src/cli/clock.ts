// `plazo clock`: shows the time of a running sandbox and moves it, so that nobody waits for a
// timer.
import type { Json } from '../command-line/command.ts'
import { endProgress, refuseValue, say, sayList, showProgress } from '../command-line/terminal.ts'
import { firedWords } from '../http/page/script/words.ts'
import { Advanced, ClockView } from '../sandbox/protocol.ts'
import { type SandboxClient, SandboxCommand, sandboxClient, secondsIn } from './sandbox-client.ts'

type Options = Json & { readonly url: string }

const PROGRESS_INTERVAL = 1_000

const readClock = (sandbox: SandboxClient): Promise<ClockView> =>
  sandbox.read(ClockView, 'GET', '/sandbox/clock')

/** Says how far a long move is, until it ends. */
const withProgress = async <A>(sandbox: SandboxClient, moved: Promise<A>): Promise<A> => {
  let isShown = false
  let hasEnded = false
  const show = async (): Promise<void> => {
    const view = await readClock(sandbox).catch(() => null)
    if (hasEnded || view?.moving === undefined) return
    isShown = true
    showProgress(`${view.now}, moving to ${view.moving.to}: ${view.moving.fired} jobs have run`)
  }
  const progress = setInterval(show, PROGRESS_INTERVAL)
  try {
    return await moved
  } finally {
    hasEnded = true
    clearInterval(progress)
    if (isShown) endProgress()
  }
}

const move = (sandbox: SandboxClient, to: string): Promise<Advanced> => {
  if (to === 'next') return sandbox.read(Advanced, 'POST', '/sandbox/clock/next')
  const seconds =
    secondsIn(to) ??
    refuseValue('The move', to, 'next, or a time such as +30s, +5min, +1h, +2d or +1week')
  return sandbox.read(Advanced, 'POST', '/sandbox/clock/advance', { seconds })
}

/** People read words; a program that reads a pipe needs the name alone. */
const describeJob = (what: string): string =>
  process.stdout.isTTY ? `${firedWords(what)} (${what})` : what

const instantWords = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'full',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

/** Here too, a pipe gets the name alone. */
const describeNow = (now: string): string =>
  process.stdout.isTTY
    ? `The sandbox’s clock says ${instantWords.format(new Date(now))} UTC (${now}).`
    : now

const clock = async (to: string | undefined, options: Options): Promise<void> => {
  const sandbox = sandboxClient(options)
  const view =
    to === undefined ? await readClock(sandbox) : await withProgress(sandbox, move(sandbox, to))
  if (options.json) return say(JSON.stringify(view))
  if ('fired' in view)
    sayList(
      ['at', 'order_ref', 'what'],
      view.fired.map(({ at, order_ref, what }) => [at, order_ref, describeJob(what)]),
      'No job became due.',
    )
  say(describeNow(view.now))
}

export const clockCommand = (): SandboxCommand =>
  new SandboxCommand('clock')
    .description(
      'shows the time of a running sandbox, or moves it and lists the jobs that became due',
    )
    .argument('[move]', '+30s, +5min, +1h, +2d, +1week, or next: to the next job of any order')
    .sandboxOptions()
    .json(': {now, fired: [{at, order_ref, what}] (after a move)}')
    .examples('plazo clock', 'plazo clock +1h', 'plazo clock next --json')
    .action(clock)
