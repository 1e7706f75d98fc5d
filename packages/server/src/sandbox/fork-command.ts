// `plazo fork`: copies an order up to one of its events into a new order, so that a developer can
// try how else it might go on.
import { systemIds } from '@plazo/adapters/system'
import { type Json, PlazoCommand, withStorage } from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import { refuseValue, say, valueOrRefuse, wholeNumber } from '../command-line/terminal.ts'
import { baseUrlOf, termsOf } from '../settings/config.ts'
import { forkedView, forkLinks, sinkUrl } from './fork-links.ts'
import { forkOrder } from './fork-order.ts'

type Options = Json & { readonly at: string; readonly apply?: string; readonly deliver?: boolean }

const EVENTS_MAX = 999_999_999

const parseApplied = (list: string | undefined): readonly number[] =>
  list === undefined
    ? []
    : list
        .split(',')
        .map((each) =>
          /^\d{1,9}$/.test(each.trim())
            ? Number(each)
            : refuseValue('--apply', list, 'numbers of events, separated by commas'),
        )

const fork = withStorage(
  async (storage, reference: string, { at, apply, deliver = false, json }: Options) => {
    const { config, store, records } = storage
    const request = {
      at: wholeNumber('--at', at, EVENTS_MAX),
      apply: parseApplied(apply),
      delivers: deliver,
    }
    const original = await findOneOrder(storage, reference)
    const baseUrl = baseUrlOf(config, config.port)
    const host = {
      store,
      clock: storage.serviceClock,
      ids: systemIds,
      terms: termsOf(config, baseUrl),
    }
    const forkedOrder = await valueOrRefuse(
      forkOrder(host, sinkUrl(baseUrl), forkLinks(records))(original, request),
      { Refused: ({ sentences }) => sentences, OrderNotFound: () => 'The order no longer exists.' },
    )
    const forked = forkedView(original, request.at, forkedOrder)
    say(
      json
        ? JSON.stringify(forked)
        : `${forked.order_ref} is a fork of ${original.placed.orderRef} at event ${at}.`,
    )
  },
)

export const forkCommand = (): PlazoCommand =>
  new PlazoCommand('fork')
    .description('copies an order up to one of its events into a new order of the sandbox')
    .orderArgument()
    .requiredOption(
      '--at <n>',
      'the number of the last event that is copied, as `plazo orders show --json` has it',
    )
    .option('--apply <list>', 'numbers of later events that happen to the fork too')
    .option(
      '--deliver',
      'the fork calls the merchant’s own URLs, not a sink that accepts everything',
    )
    .json(': {order_ref, order_ref_1, forked_from: {order_ref, event}}')
    .examples(
      'plazo fork A-1042 --at 5',
      'plazo fork 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10 --at 5 --apply 7,8 --deliver',
    )
    .action(fork)
