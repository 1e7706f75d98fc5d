// `plazo clock`: shows the time of a running sandbox and moves it, so that nobody waits for a
// timer.
import type * as t from 'io-ts'
import type { Json } from '../../command-line/command.ts'
import {
  endProgress,
  refuse,
  refuseValue,
  say,
  sayList,
  showProgress,
} from '../../command-line/terminal.ts'
import { firedWords } from '../../http/page/script/words.ts'
import { callSandbox, SandboxCommand } from '../command.ts'
import { Advanced, ClockView } from '../protocol.ts'

type Options = Json & { readonly url: string }

const UNIT_SECONDS: { readonly [unit: string]: number } = {
  s: 1,
  min: 60,
  h: 3_600,
  d: 86_400,
  week: 604_800,
}

const secondsIn = (duration: string): number => {
  const [, count = '', unit = ''] =
    /^\+(\d{1,9}(?:\.\d{1,3})?)(s|min|h|d|week)s?$/.exec(duration) ?? []
  const seconds = UNIT_SECONDS[unit]
  return seconds === undefined
    ? refuseValue('The move', duration, 'next, or a time such as +30s, +5min, +1h, +2d or +1week')
    : Number(count) * seconds
}

const decodeBody = <A>(codec: t.Type<A>, body: unknown): A =>
  codec.is(body)
    ? body
    : refuse('The server did not answer as a sandbox’s clock does. Check --url.')

const PROGRESS_INTERVAL = 1_000

/** Says how far a long move is, until it ends. */
const withProgress = async <A>(url: string, moved: Promise<A>): Promise<A> => {
  let isShown = false
  let hasEnded = false
  const show = async (): Promise<void> => {
    const view: unknown = await callSandbox(url, '/sandbox/clock').catch(() => null)
    if (hasEnded || !ClockView.is(view) || view.moving === undefined) return
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

const move = (url: string, to: string): Promise<unknown> =>
  to === 'next'
    ? callSandbox(url, '/sandbox/clock/next', { method: 'POST' })
    : callSandbox(url, '/sandbox/clock/advance', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ seconds: secondsIn(to) }),
      })

/** People read words; a program that reads a pipe needs the name alone. */
const describeJob = (what: string): string =>
  process.stdout.isTTY ? `${firedWords(what)} (${what})` : what

const clock = async (to: string | undefined, { url, json }: Options): Promise<void> => {
  if (to === undefined) {
    const view = decodeBody(ClockView, await callSandbox(url, '/sandbox/clock'))
    return say(json ? JSON.stringify(view) : view.now)
  }
  const advanced = decodeBody(Advanced, await withProgress(url, move(url, to)))
  if (json) return say(JSON.stringify(advanced))
  sayList(
    ['at', 'order_ref', 'what'],
    advanced.fired.map(({ at, order_ref, what }) => [at, order_ref, describeJob(what)]),
    'No job became due.',
  )
  say(advanced.now)
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
