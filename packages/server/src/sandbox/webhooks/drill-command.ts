// `plazo drill`: makes a sandbox merchant's webhooks go wrong, so that a developer tests their shop
// from a terminal. Sandbox rules, Fault drills.
import * as t from 'io-ts'
import type { Json } from '../../command-line/command.ts'
import {
  hint,
  refuse,
  refuseValue,
  say,
  sayList,
  wholeNumber,
} from '../../command-line/terminal.ts'
import { SandboxCommand, type SandboxMerchant, sandboxClient, secondsIn } from '../command.ts'
import { type Drill, Drills, FaultName, SHOP_DRILLS, STAND_IN_DRILLS } from './protocol.ts'

type Server = SandboxMerchant & Json

type DrillOptions = Server & {
  readonly [option in 'event' | 'order' | 'count' | 'share' | 'seed' | 'seconds' | 'until']?: string
}

const COUNT_MAX = 100
const SECONDS_MAX = 25

const shareIn = (value: string): number =>
  /^(?:0?\.\d{1,6}|1(?:\.0{1,6})?)$/.test(value) && Number(value) > 0
    ? Number(value)
    : refuseValue('--share', value, 'a number over 0, at most 1')

/** Real time: the sandbox's clock does not move it. */
const instantIn = (value: string): string => {
  const seconds = secondsIn(value)
  if (seconds !== null) return new Date(Date.now() + seconds * 1_000).toISOString()
  const expected = 'an instant such as 2026-12-31T12:00:00Z, or a time such as +10min'
  return Number.isNaN(Date.parse(value)) ? refuseValue('--until', value, expected) : value
}

/** Null if the option was not given. */
const optional = <A>(value: string | undefined, read: (value: string) => A): A | null =>
  value === undefined ? null : read(value)

const call = (server: Server, method: string, query = '', body?: object): Promise<Drills> =>
  sandboxClient(server).read(Drills, method, `/sandbox/drills${query}`, body)

const FoundOrders = t.readonlyArray(
  t.type({ order_ref: t.string, order_ref_1: t.string, order_ref_2: t.string }),
)

/** Finds the order as `findOneOrder` does: here the server has the database. */
const orderRefOf = async (server: Server, name: string): Promise<string> => {
  const query = new URLSearchParams({ search: name })
  const path = `/merchants/${encodeURIComponent(server.merchant)}/orders?${query}`
  const orders = await sandboxClient(server).read(FoundOrders, 'GET', path)
  const text = name.toLowerCase()
  const named = orders.filter((order) =>
    [order.order_ref_1, order.order_ref_2].some((each) => each.toLowerCase() === text),
  )
  const [order, another] =
    named.length > 0 ? named : orders.filter(({ order_ref }) => order_ref.startsWith(text))
  return order !== undefined && another === undefined
    ? order.order_ref
    : refuseValue('--order', name, 'a name of exactly one order of the merchant')
}

const matchOf = ({ event, order_ref }: Drill): string =>
  [event ?? 'any event', order_ref ?? 'any order'].join(', ')

const extentOf = ({ count, share, touched }: Drill): string =>
  share === null ? `${touched} of ${count}` : `${touched}, a share of ${share}`

const print = ({ drills }: Drills, json = false): void =>
  json
    ? say(JSON.stringify(drills))
    : sayList(
        ['id', 'fault', 'matches', 'touched', 'until'],
        drills
          .toReversed()
          .map((drill) => [drill.id, drill.fault, matchOf(drill), extentOf(drill), drill.until]),
        'No drill is set.',
      )

const set = async (fault: string, options: DrillOptions): Promise<void> => {
  if (!FaultName.is(fault)) return refuseValue('The fault', fault, FaultName.name)
  if (options.share !== undefined && options.count !== undefined)
    return refuse('Give either --count or --share, not both.')
  const drill = {
    fault,
    event: options.event ?? null,
    order_ref: options.order === undefined ? null : await orderRefOf(options, options.order),
    count: optional(options.count, (value) => wholeNumber('--count', value, COUNT_MAX)),
    share: optional(options.share, shareIn),
    seed: options.seed ?? null,
    seconds: optional(options.seconds, (value) => wholeNumber('--seconds', value, SECONDS_MAX)),
    until: optional(options.until, instantIn),
  }
  print(await call(options, 'POST', '', drill), options.json)
}

const list = async (server: Server): Promise<void> => print(await call(server, 'GET'), server.json)

const clear = async (id: string | undefined, server: Server): Promise<void> => {
  if (id !== undefined && !(await call(server, 'GET')).drills.some((drill) => drill.id === id))
    return refuseValue('The id', id, 'that of a drill that `plazo drill list` lists')
  const answer = await call(server, 'DELETE', id === undefined ? '' : `?id=${id}`)
  if (!server.json) hint(id === undefined ? 'All drills are cleared.' : 'The drill is cleared.')
  print(answer, server.json)
}

const SHAPE = ': [{id, fault, event, order_ref, count, touched, share, seed, seconds, until}]'

export const drillCommand = (): SandboxCommand => {
  const drill = new SandboxCommand('drill').description(
    'makes a merchant’s webhooks go wrong, to test their shop',
  )
  drill
    .command('set')
    .description('sets a fault drill, and lists all that are set')
    .argument(
      '<fault>',
      'the fault: one that the shop must survive, or one that answers in its place; see below',
    )
    .option('--event <event>', 'only deliveries of this event, or ipn')
    .orderOption('only deliveries of this order')
    .option('--count <n>', 'the number of deliveries to change (default: 1)')
    .option('--share <number>', 'in place of --count: this share of all attempts, such as 0.1')
    .option('--seed <text>', 'the same seed chooses the same attempts of a share')
    .option('--seconds <n>', 'how long delay, reorder and slow take')
    .option('--until <instant>', 'real time, or +10min (default: +1h; a day at most)')
    .merchantOptions()
    .json(SHAPE)
    .notes(`Faults that the shop must survive: ${SHOP_DRILLS.join(', ')}.
Faults that answer in its place, without a call to it: ${STAND_IN_DRILLS.join(', ')}.`)
    .examples(
      'plazo drill set error_then_ok --event ipn',
      'plazo drill set wrong_signature --share 0.1 --seed monday --until +10min',
    )
    .action(set)
  drill
    .command('list')
    .description('lists the drills that are set')
    .merchantOptions()
    .json(SHAPE)
    .examples('plazo drill list')
    .action(list)
  drill
    .command('clear')
    .description('ends all drills of the merchant, or one')
    .argument('[id]', 'the id of the drill, from `plazo drill list`')
    .merchantOptions()
    .json(SHAPE)
    .examples('plazo drill clear', 'plazo drill clear 5f0e4c53-9a6f-4d0f-8c1f-2a110b8e6f5c')
    .action(clear)
  return drill
}
