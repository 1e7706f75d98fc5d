// `plazo clock`: shows the time of a running sandbox and moves it, so that nobody waits for a
// timer.

import { firedWords } from '../http/page/script/words.ts'
import { Advanced, ClockView } from '../sandbox/protocol.ts'
import type { Json, PlazoCommand } from './command.ts'
import { type Sandbox, sandboxAt, sandboxCommand } from './sandbox-client.ts'
import { refuseValue, say, sayList } from './terminal.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  min: 60,
  h: 3_600,
  d: 86_400,
  week: 604_800,
}

const move = (sandbox: Sandbox, to: string): Promise<Advanced> => {
  if (to === 'next') return sandbox(Advanced, 'POST', '/sandbox/clock/next')
  const [, count, unit = ''] = /^\+(\d{1,9}(?:\.\d{1,3})?)(s|min|h|d|week)s?$/.exec(to) ?? []
  const unitSeconds =
    UNIT_SECONDS[unit] ??
    refuseValue('The move', to, 'next, or a time such as +30s, +5min, +1h, +2d or +1week')
  return sandbox(Advanced, 'POST', '/sandbox/clock/advance', {
    seconds: Number(count) * unitSeconds,
  })
}

const instantWords = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'full',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

const clock = async (
  to: string | undefined,
  { url, json }: Json & { readonly url: string },
): Promise<void> => {
  const sandbox = sandboxAt(url)
  const view: ClockView | Advanced =
    to === undefined ? await sandbox(ClockView, 'GET', '/sandbox/clock') : await move(sandbox, to)
  if (json) return say(JSON.stringify(view))
  if ('fired' in view)
    sayList(
      ['at', 'order_ref', 'what'],
      view.fired.map(({ at, order_ref, what }) => [at, order_ref, `${firedWords(what)} (${what})`]),
      'No job became due.',
    )
  say(`The sandbox’s clock says ${instantWords.format(new Date(view.now))} UTC (${view.now}).`)
  if ('moving' in view && view.moving)
    say(`It is moving to ${view.moving.to}: ${view.moving.fired} jobs have run.`)
}

export const clockCommand = (): PlazoCommand =>
  sandboxCommand('clock')
    .description(
      'shows the time of a running sandbox, or moves it and lists the jobs that became due',
    )
    .argument('[move]', '+30s, +5min, +1h, +2d, +1week, or next: to the next job of any order')
    .json(': {now, fired: [{at, order_ref, what}] (after a move)}')
    .examples('plazo clock', 'plazo clock +1h', 'plazo clock next --json')
    .action(clock)
