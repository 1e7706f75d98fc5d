// `plazo conform`: checks any server of the interface, and reports to a person what was asked, what
// was answered, and what the documents demand. It knows nothing of the server but its address.
import { wireNames } from '@plazo/core'
import type { Conformance } from '@plazo/core/internal/testing'
import type { Subject } from '@plazo/core/testing'
import { Option } from 'commander'
import { type Json, PlazoCommand } from './command.ts'
import { type CheckReceiver, openCheckReceiver } from './conform-receiver.ts'
import { refuse, say, wholeNumber } from './terminal.ts'

type Options = Json & {
  readonly url: string
  readonly merchant: string
  readonly username?: string
  readonly password: string
  readonly operatorPassword?: string
  readonly receiver: boolean
  readonly receiverPort: string
  readonly receiverUrl?: string
}

const TIMEOUT_MILLIS = 60_000

const subjectOf = async (options: Options, receiver: CheckReceiver | null): Promise<Subject> => {
  const url = options.url.replace(/\/+$/, '')
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MILLIS) })
  const clock = await send(`${url}/sandbox/clock`).catch(() =>
    refuse(`No server answers at ${url}. Give the address of a running server with --url.`),
  )
  const { SERVICE_NAME, IPN_STATE_PARAMETER } = process.env
  return {
    url,
    merchant: {
      ref: options.merchant,
      username: options.username ?? options.merchant,
      password: options.password,
    },
    now: Date.now,
    isSandbox: clock.ok,
    operatorPassword: options.operatorPassword ?? null,
    receiver,
    names: wireNames(SERVICE_NAME || 'Service', IPN_STATE_PARAMETER || 'sq_state'),
    fetch: send,
  }
}

const printReport = (
  { violations, checked, notChecked, notTaken }: Conformance,
  { isSandbox, receiver }: Subject,
): void => {
  // Most violations happen on several journeys.
  const byDemand = Map.groupBy(violations, ({ section, clause }) => `${clause} (${section})`)
  for (const [demand, found] of byDemand) {
    const [first] = found
    say(`  ${demand}\n  ${first?.sentence}\n${first?.exchange ?? ''}`, '\nWRONG')
    say(`  seen in: ${[...new Set(found.map(({ journey }) => journey))].join(', ')}`)
  }
  say('')
  if (!isSandbox) say('The server is no sandbox: only the first steps of an order were checked.')
  if (receiver === null) say('Without a receiver, no request to the merchant was checked.')
  if (notTaken.length > 0)
    say(`Not taken, for lack of a product, a test person or an operator: ${notTaken.join('; ')}.`)
  say(`${checked.length} rules were checked. ${notChecked.length} need more than a client sees.`)
  say(byDemand.size === 0 ? 'No rule is violated.' : `Violated rules: ${byDemand.size}.`)
}

const check = async (options: Options): Promise<void> => {
  const { receiverPort, receiverUrl, json } = options
  const port = receiverPort === '0' ? 0 : wholeNumber('--receiver-port', receiverPort, 65_535)
  const receiver = options.receiver ? await openCheckReceiver(port, receiverUrl) : null
  try {
    const subject = await subjectOf(options, receiver)
    // It brings fast-check, which no other command needs.
    const { conform } = await import('@plazo/core/testing')
    const conformance = await conform(subject)
    if (json) say(JSON.stringify(conformance))
    else printReport(conformance, subject)
    if (conformance.violations.length > 0) process.exitCode = 1
  } finally {
    await receiver?.close()
  }
}

export const conformCommand = (): PlazoCommand =>
  new PlazoCommand('conform')
    .description('checks any server of the interface over HTTP')
    .requiredOption('--url <url>', 'the address of the server')
    .merchantOption()
    .option('--username <username>', 'the merchant’s username; their ref, unless given')
    .addOption(
      new Option('--password <password>', 'the merchant’s password')
        .env('MERCHANT_PASSWORD')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--operator-password <password>', 'lets the check decide as the operator').env(
        'OPERATOR_PASSWORD',
      ),
    )
    .option('--receiver-port <port>', 'the local port that gets the merchant’s requests', '0')
    .option('--receiver-url <url>', 'the address by which the server reaches that port')
    .option('--no-receiver', 'gives the orders no addresses of a merchant')
    .json()
    .notes(`Places about twenty orders, and moves the clock of a sandbox, so use a test server. SERVICE_NAME and IPN_STATE_PARAMETER
are those of the server. The exit code is 1 if a rule is violated.`)
    .examples(
      'plazo conform --url http://localhost:3000 --merchant demo --password demo --operator-password operator',
    )
    .action(check)
