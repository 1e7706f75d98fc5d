// `plazo clock`: shows the time of a running sandbox and moves it, so that nobody waits for a
// timer.

import { firedWords } from '../http/page/script/words.ts'
import { Advanced, ClockView } from '../sandbox/protocol.ts'
import type { Json, PlazoCommand } from './command.ts'
import { sandboxAt, sandboxCommand } from './sandbox-client.ts'
import { refuseValue, say, sayList } from './terminal.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  min: 60,
  h: 3_600,
  d: 86_400,
  week: 604_800,
}

const secondsIn = (move: string): number => {
  const [, count, unit = ''] = /^\+(\d{1,9}(?:\.\d{1,3})?)(s|min|h|d|week)s?$/.exec(move) ?? []
  const seconds = UNIT_SECONDS[unit]
  return seconds === undefined
    ? refuseValue('The move', move, 'next, or a time such as +30s, +5min, +1h, +2d or +1week')
    : Number(count) * seconds
}

type Options = Json & { readonly url: string }

const clock = async (move: string | undefined, { url, json }: Options): Promise<void> => {
  const sandbox = sandboxAt(url)
  const path = '/sandbox/clock'
  const advance = (to: string): Promise<Advanced> =>
    to === 'next'
      ? sandbox(Advanced, `${path}/next`, {})
      : sandbox(Advanced, `${path}/advance`, { seconds: secondsIn(to) })
  const view = await (move === undefined ? sandbox(ClockView, path) : advance(move))
  if (json) return say(JSON.stringify(view))
  if ('fired' in view)
    sayList(
      ['at', 'order_ref', 'what'],
      view.fired.map(({ at, order_ref, what }) => [at, order_ref, `${firedWords(what)} (${what})`]),
      'No job became due.',
    )
  const words = new Date(view.now).toUTCString().replace('GMT', 'UTC')
  say(`The sandbox’s clock says ${words} (${view.now}).`)
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
