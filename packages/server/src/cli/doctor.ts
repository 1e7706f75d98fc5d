// `plazo doctor`: checks the installation and says what to do about each problem, and what the
// console's home says. Contract §6, Stuck; §7.
import { lookup } from 'node:dns/promises'
import { type AddressGuard, addressGuard, portOf, proxyFor } from '@plazo/adapters/internal/http'
import { inspectDatabase } from '@plazo/adapters/internal/sqlite'
import { errorMessage, PRICED_CURRENCIES, PROVIDER_PORTS } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { readItems } from '../console/home.ts'
import {
  type Finding,
  judge,
  ok,
  postgresFindings,
  problem,
  sqliteFindings,
} from '../doctor/database.ts'
import { findKnownCredentials } from '../merchants/known-credentials.ts'
import { CURRENCY_ADVICE } from '../merchants/merchant-settings.ts'
import {
  baseUrlOf,
  type Config,
  callbackUrl,
  databaseName,
  PROVIDER_SETTINGS,
  readConfig,
} from '../settings/config.ts'
import { missingLegal } from '../settings/legal-settings.ts'
import { type Json, PlazoCommand, type Storage, withStorage } from './command.ts'
import { say, valueOrRefuse } from './terminal.ts'

type Options = Json & { readonly url?: readonly string[] }

const settingFindings = (config: Config): readonly Finding[] => {
  const { mode, policy, baseUrl, port, legal } = config
  return [
    ok('settings', `all are valid; MODE is ${mode}`),
    judge(
      'address',
      policy.allowsLocal || baseUrl?.startsWith('https:') === true,
      `links for shoppers and providers start with ${baseUrlOf(config, port)}`,
      'Set BASE_URL to the public https address of this server, and restart it.',
    ),
    ...(policy.requiresLender ? missingLegal(legal) : []).map((name) =>
      problem(
        'lender',
        `${name} is not set, so no shopper can use the hosted form or <plazo-checkout> for a credit`,
        `Set ${name} and restart the server. Until all of these settings are set, both lead back to the shop.`,
      ),
    ),
  ]
}

const inspectDatabaseFile = async ({ database }: Config): Promise<readonly Finding[]> => {
  if (database.type === 'sqlite')
    return sqliteFindings(database.path, inspectDatabase(database.path))
  const { inspectPostgres } = await import('@plazo/adapters/internal/postgres')
  return postgresFindings(databaseName(database), await inspectPostgres(database.url))
}

const currencyFindings = async ({ merchants }: Storage): Promise<readonly Finding[]> => {
  const all = await valueOrRefuse(merchants.list())
  return all
    .filter(({ currency }) => !PRICED_CURRENCIES.includes(currency))
    .map(({ ref, currency }) =>
      problem(
        'currencies',
        `merchant ${ref} has the euro’s limits and fee, in minor units of ${currency}`,
        `${CURRENCY_ADVICE} \`plazo merchant set --merchant ${ref} --currency <code>\` changes it.`,
      ),
    )
}

const storageFindings = async (config: Config): Promise<readonly Finding[]> => {
  const { database, policy } = config
  if (database.type === 'sqlite' && database.path === ':memory:')
    return [ok('database', 'it is in the memory of the server, so this command cannot inspect it')]
  const findings = [...(await inspectDatabaseFile(config))]
  // A database that is damaged, of another version or not writable is not opened for the checks
  // below.
  if (
    findings.some(
      (finding) => !finding.ok && /^(database|migrations|integrity|writes)$/.test(finding.check),
    )
  )
    return findings
  try {
    await withStorage(async (storage) => {
      const { merchants, store, serviceClock: clock } = storage
      const items = await readItems({ store, clock })
      const wellKnown = policy.refusesKnownCredentials
        ? await valueOrRefuse(findKnownCredentials(merchants, clock.now()))
        : []
      findings.push(
        ok('keys', 'they open the database'),
        ok('dispatcher', dispatcherWords(await storage.lease())),
        ...wellKnown.map((says) =>
          problem('credentials', says, 'The server does not start with it.'),
        ),
        ...(await currencyFindings(storage)),
        ...items.map(({ label, subject, says, todo, waits = false }) =>
          judge(label, waits, `${subject} ${says}`, todo),
        ),
      )
    })()
  } catch (cause) {
    // The earlier findings are still printed.
    findings.push(
      problem(
        'keys',
        `the database cannot be used: ${errorMessage(cause)}`,
        'Put every key of the database into SECRET_KEY. If SECRET_KEY is not set, put the .key file back next to the database.',
      ),
    )
  }
  return findings
}

const dispatcherWords = (lease: Awaited<ReturnType<Storage['lease']>>): string => {
  if (lease === null) return 'no server starts jobs'
  const { holder, since } = lease
  return `${holder ?? 'a server'} starts jobs${since ? `, since ${new Date(since).toISOString()}` : ''}`
}

const CONNECT_TIMEOUT = 5000

/** `guard`: for URLs that merchants choose. One that plazo must not call is wrong too. */
const connectivityFinding = async (
  name: string,
  url: string,
  guard: AddressGuard | null,
  proxy: Config['proxy'],
): Promise<Finding> => {
  const host = URL.parse(url)?.host ?? url
  try {
    const refusal = guard?.checkUrl(url) ?? null
    if (refusal !== null) throw new Error(refusal)
    const parsed = new URL(url)
    if (proxyFor(proxy, parsed) !== null)
      return ok(name, `${host} is called through OUTBOUND_PROXY`)
    const addresses = await lookup(parsed.hostname.replace(/^\[|\]$/g, ''), { all: true })
    for (const { address } of addresses)
      if (guard?.isAllowed(address, portOf(parsed)) === false)
        throw new Error(`${address} must not be called`)
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT)
    await fetch(parsed, { method: 'HEAD', redirect: 'manual', signal })
    return ok(name, `${host} can be reached at ${addresses[0]?.address}`)
  } catch (cause) {
    const reason = cause instanceof TypeError ? (cause.cause ?? cause) : cause
    return problem(
      name,
      `${host} cannot be reached: ${errorMessage(reason)}`,
      'Check the URL, the firewall, the certificate, and whether a server listens there. WEBHOOK_ALLOW lists networks of ' +
        'your own that merchants’ URLs may lead to.',
    )
  }
}

const connectivityFindings = (
  config: Config,
  urls: readonly string[],
): Promise<readonly Finding[]> => {
  const guard = addressGuard({
    allowsLocal: config.policy.allowsLocal,
    allow: config.webhookAllow,
  })
  const { proxy } = config
  const baseUrl = baseUrlOf(config, config.port)
  const providers = PROVIDER_PORTS.map(async (port) => {
    const [name, url] = [PROVIDER_SETTINGS[port], config.providers[port]]
    const later = `later answers come to ${callbackUrl(baseUrl, port)}`
    if (url === null) return ok(name, 'is not set, so the sandbox answers')
    const finding = await connectivityFinding(name, url, null, proxy)
    return finding.ok ? ok(name, `${finding.says}; ${later}`) : finding
  })
  const proxyUrls = proxy === null ? [] : [`http://${new URL(proxy.url).host}`]
  return Promise.all([
    ...proxyUrls.map((url) => connectivityFinding('OUTBOUND_PROXY', url, null, null)),
    ...providers,
    ...urls.map((url) => connectivityFinding('--url', url, guard, proxy)),
  ])
}

const doctor = async ({ url = [], json }: Options): Promise<void> => {
  const config = readConfig(process.env)
  const findings = E.isLeft(config)
    ? config.left.map((line) =>
        problem(
          'settings',
          line,
          'Correct it in the environment. The server does not start with it.',
        ),
      )
    : [
        ...settingFindings(config.right),
        ...(await storageFindings(config.right)),
        ...(await connectivityFindings(config.right, url)),
      ]
  const wrong = findings.filter((finding) => !finding.ok)
  if (wrong.length > 0) process.exitCode = 1
  if (json) return say(JSON.stringify({ ok: wrong.length === 0, findings }))
  for (const { check, ok: isRight, says, todo } of findings) {
    say(`${isRight ? 'ok   ' : ''}  ${check.padEnd(16)} ${says}`, isRight ? '' : 'WRONG')
    if (todo !== null) say(`       → ${todo}`)
  }
  say(wrong.length === 0 ? 'No problems found.' : `Problems found: ${wrong.length}.`)
}

const collectUrls = (url: string, urls: readonly string[] = []): readonly string[] => [...urls, url]

export const doctorCommand = (): PlazoCommand =>
  new PlazoCommand('doctor')
    .description('reports problems and what to do about them')
    .option(
      '--url <url>',
      'also checks that this merchant’s URL can be reached; may be repeated',
      collectUrls,
    )
    .json(': {ok, findings: [{check, ok, says, todo}]}')
    .notes('It exits with 1 if there is a problem, so that a cron job notices.')
    .examples('plazo doctor --url https://shop.example/plazo/events')
    .action(doctor)
