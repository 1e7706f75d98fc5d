// `plazo explain`: an operator asks here first why an order does not go on. It works next to a running
// server, and changes nothing.

import { explainOrder, explanationView } from '@plazo/core'
import { LANGUAGES } from '@plazo/core/protocol'
import { type Json, PlazoCommand, withStorage } from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import { onOneLine, refuseValue, say, valueOrRefuse } from '../command-line/terminal.ts'
import { baseUrlOf, termsOf } from '../settings/config.ts'

type ExplainOptions = Json & { readonly language: string }

const explain = withStorage(async (storage, reference: string, options: ExplainOptions) => {
  const { store, config, serviceClock: clock } = storage
  const language =
    LANGUAGES.find((each) => each === options.language) ??
    refuseValue('--language', options.language, `one of ${LANGUAGES.join(', ')}`)
  const terms = termsOf(config, baseUrlOf(config, config.port))
  const order = await findOneOrder(storage, reference)
  const explanation = await valueOrRefuse(explainOrder({ store, terms, clock })(order), {
    OrderNotFound: () => 'The order no longer exists.',
    DeliveryNotFound: () => 'The order no longer exists.',
  })
  const view = explanationView(order, explanation, { language, isForMerchant: false })
  if (options.json) return say(JSON.stringify(view))
  const { where, awaits, by_itself, may } = view.sentences
  say([...where, ...awaits, by_itself, ...may].map(onOneLine).join('\n'))
})

export const explainCommand = (): PlazoCommand =>
  new PlazoCommand('explain')
    .description('explains why an order stands where it stands, and what happens next')
    .orderArgument()
    .option('--language <language>', `the language: ${LANGUAGES.join(' or ')}`, 'en')
    .json()
    .examples('plazo explain A-1042', 'plazo explain A-1042 --language es')
    .action(explain)
