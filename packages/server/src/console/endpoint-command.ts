// `plazo endpoints`: an operator at a terminal sees which shops fail. It says
// what the console's pages say, and works next to a running server.
import {
  type Json,
  PlazoCommand,
  requireMerchant,
  type Storage,
  withStorage,
} from '../command-line/command.ts'
import {
  hint,
  onOneLine,
  refuseValue,
  say,
  sayList,
  valueOrRefuse,
} from '../command-line/terminal.ts'
import { baseUrlOf, termsOf } from '../settings/config.ts'
import { acceptedShare, acceptedText, judgeEndpoint } from './endpoint-health.ts'
import { endpointReader, KINDS, type ListedEndpoint } from './endpoint-reader.ts'

const readerOf = ({ store, config, serviceClock: clock }: Storage) =>
  endpointReader({ store, clock, terms: termsOf(config, baseUrlOf(config, config.port)) })

const instantText = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString()

const endpointView = (endpoint: ListedEndpoint) => {
  const { merchantRef, kind, failures, lost, waiting, hour, day, week } = endpoint
  return {
    merchant: merchantRef,
    kind,
    last_good_at: instantText(endpoint.lastGoodAt),
    failing_since: instantText(endpoint.failingSince),
    failures,
    accepted_percent: {
      hour: acceptedShare(hour),
      day: acceptedShare(day),
      week: acceptedShare(week),
    },
    lost,
    waiting,
    addresses: endpoint.addresses.map(({ address, lastAt, lastAnswer, ...counts }) => ({
      address,
      last_at: instantText(lastAt),
      last_answer: lastAnswer,
      ...counts,
    })),
  }
}

const healthText = (endpoint: ListedEndpoint, now: number): string =>
  judgeEndpoint(endpoint, now).words

const list = withStorage(async (storage, { json }: Json) => {
  const { failing, others, isCut } = await valueOrRefuse(readerOf(storage).list)
  const all = [...failing, ...others]
  if (isCut) hint('There are more. `plazo endpoints show` finds any.')
  if (json) return say(JSON.stringify(all.map(endpointView)))
  sayList(
    ['merchant', 'kind', 'health', 'last answer', '1 h', '24 h', '7 days', 'lost', 'waiting'],
    all.map((endpoint) => [
      endpoint.merchantRef,
      endpoint.kind,
      healthText(endpoint, storage.serviceClock.now()),
      endpoint.addresses[0]?.lastAnswer ?? null,
      ...[endpoint.hour, endpoint.day, endpoint.week].map(acceptedText),
      String(endpoint.lost),
      String(endpoint.waiting),
    ]),
    'No shop has been called yet.',
  )
})

type Options = Json & { readonly merchant: string; readonly kind: string }

const endpointOf = async (
  storage: Storage,
  { merchant, kind }: Options,
): Promise<ListedEndpoint> => {
  const endpointKind =
    KINDS.find((each) => each === kind) ?? refuseValue('--kind', kind, `one of ${KINDS.join(', ')}`)
  const { ref } = await requireMerchant(storage, merchant)
  return valueOrRefuse(readerOf(storage).find(ref, endpointKind))
}

const show = withStorage(async (storage, options: Options) => {
  const endpoint = await endpointOf(storage, options)
  if (options.json) return say(JSON.stringify(endpointView(endpoint)))
  const { merchantRef, kind, hour, day, week } = endpoint
  const saveable = await valueOrRefuse(readerOf(storage).countSaveable(merchantRef))
  say(
    [
      ['health', healthText(endpoint, storage.serviceClock.now())],
      ['last good answer', instantText(endpoint.lastGoodAt) ?? 'none'],
      ['failing since', instantText(endpoint.failingSince) ?? 'it does not fail'],
      [
        'accepted',
        `${acceptedText(hour)} in an hour, ${acceptedText(day)} in a day, ${acceptedText(week)} in a week`,
      ],
      ['waiting', `${endpoint.waiting}`],
      ['orders lost', `${endpoint.lost} in seven days`],
      ...(kind === 'ipn' ? [['can be saved', saveable]] : []),
      ...endpoint.addresses.map(({ address, lastAnswer, lastAt, ...rate }) => [
        'address',
        `${address || 'further addresses'}  ${lastAnswer || 'no answer'} at ${instantText(lastAt)}, accepted ${acceptedText(rate)} of ${rate.attempts}`,
      ]),
    ]
      .map(([name = '', value = '']) => `${name.padEnd(18)}${onOneLine(value)}`)
      .join('\n'),
  )
})

export const endpointsCommand = (): PlazoCommand => {
  const endpoints = new PlazoCommand('endpoints').description(
    'where shops take IPNs and events: which fail, since when, and what that costs',
  )
  const ofEndpoint = (name: string): PlazoCommand =>
    endpoints.command(name).merchantOption().requiredOption('--kind <kind>', KINDS.join(' or '))
  endpoints
    .command('list')
    .description('lists the failing ones, the longest first, and then all others by merchant')
    .json()
    .examples('plazo endpoints list', 'plazo endpoints list --json')
    .action(list)
  ofEndpoint('show')
    .description('shows one with its addresses and their answers of the last seven days')
    .json()
    .examples('plazo endpoints show --merchant demo --kind ipn')
    .action(show)
  return endpoints
}
