// `plazo listen`: forwards a sandbox merchant's events and IPNs to a developer's own machine. The
// local answer is the delivery's answer. Sandbox rules, Forwarding.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeepAliveAgents, type HttpResult } from '@plazo/adapters/http'
import { ATTEMPT_MILLIS } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { hint, refuse, refuseValue, say } from '../../command-line/terminal.ts'
import { SandboxCommand, type SandboxMerchant, sandboxClient } from '../command.ts'
import type { ForwardedAnswer, ForwardedDelivery } from './protocol.ts'

type Options = SandboxMerchant & {
  readonly forward: string
  readonly events?: string
  readonly resend?: string
}

const RECONNECT_MILLIS = 1_000

const urlOf = (option: string, value: string): URL =>
  URL.canParse(value) && /^https?:/.test(value)
    ? new URL(value)
    : refuseValue(option, value, 'an http or https URL')

const listen = async (options: Options): Promise<void> => {
  const { merchant } = options
  const sandbox = sandboxClient({ ...options, url: urlOf('--url', options.url).href })
  const targets = {
    ipn: urlOf('--forward', options.forward),
    events: urlOf('--events', options.events ?? options.forward),
  }
  const agents = createKeepAliveAgents()
  let lastId: string | null = null

  const forward = ({ endpoint, headers, body }: ForwardedDelivery): Promise<HttpResult> =>
    agents.send({
      ...{ url: targets[endpoint], owner: merchant, headers, body, readsBody: true },
      deadline: AbortSignal.timeout(ATTEMPT_MILLIS),
    })

  const print = (
    { event, headers }: ForwardedDelivery,
    result: HttpResult,
    millis: number,
  ): void => {
    const isGood = E.isRight(result) && result.right.status < 300
    const outcome = E.isRight(result) ? String(result.right.status) : result.left.error
    const time = new Date().toISOString().slice(11, 19)
    const body = E.isRight(result) ? (result.right.body ?? '') : result.left.message
    say(`${time} ${event} ${outcome} ${Math.round(millis)} ms ${headers['Webhook-Id'] ?? ''}`, {
      [outcome]: isGood ? 'green' : 'red',
    })
    if (body !== '') say(`  ${body}`)
  }

  const handle = async (number: string): Promise<void> => {
    const path = `/sandbox/listen/${number}`
    const response = await sandbox.send('GET', path)
    if (!response.ok) return
    const delivery = (await response.json()) as ForwardedDelivery
    lastId = delivery.headers['Webhook-Id'] ?? null
    const startedAt = performance.now()
    const result = await forward(delivery)
    print(delivery, result, performance.now() - startedAt)
    const answer: ForwardedAnswer = E.isRight(result)
      ? {
          status: result.right.status,
          retry_after: result.right.retryAfter,
          body: result.right.body,
        }
      : { error: KNOWN_ERRORS.find((error) => error === result.left.error) ?? 'protocol_error' }
    await sandbox.send('POST', path, answer)
  }

  const resend = async (id: string): Promise<void> => {
    const response = await sandbox.send(
      'POST',
      `/merchants/${encodeURIComponent(merchant)}/deliveries/${encodeURIComponent(id)}/resend`,
    )
    hint(
      response.ok
        ? `${id} is sent again.`
        : `${id} is not sent again: ${response.status} ${await response.text()}`,
    )
  }

  const onKey = (line: string): void => {
    const [key, id = lastId] = line.trim().split(/\s+/)
    if (key !== 'r') return
    if (id === null) hint('Nothing was received yet.')
    else void resend(id).catch(() => hint(`${id} is not sent again: the server does not answer.`))
  }
  readKeys(onKey)
  // Otherwise the open input would keep a command alive that has ended with an error.
  await followDeliveries().finally(stopReadingKeys)

  async function followDeliveries(): Promise<never> {
    for (let isFirst = true; ; isFirst = false) {
      const stream = await sandbox
        .send('GET', '/sandbox/listen')
        .catch(isFirst ? sandbox.refuseUnreachable : () => null)
      // A server that starts or stops answers 503.
      if (stream !== null && !stream.ok && (isFirst || stream.status < 500))
        return refuse(`The server answered ${stream.status}: ${await stream.text()}`)
      if (stream?.ok) {
        say(
          `Forwarding IPNs of ${merchant} to ${targets.ipn} and events to ${targets.events}. r sends the last one again.`,
        )
        if (isFirst && options.resend !== undefined) await resend(options.resend)
        await readNumbers(
          stream,
          (number) => void handle(number).catch((cause) => hint(String(cause))),
        )
      }
      hint('The connection to the server was lost. Connecting again.')
      await sleep(RECONNECT_MILLIS)
    }
  }
}

const KNOWN_ERRORS = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'response_too_large',
] as const

/** Resolves once the stream ends. */
const readNumbers = async (stream: Response, onNumber: (number: string) => void): Promise<void> => {
  let text = ''
  try {
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, number] = /^id: (\d+)$/m.exec(event) ?? []
        if (number !== undefined) onNumber(number)
      }
    }
  } catch {
    // The connection broke. The caller connects again.
  }
}

/** On a terminal a key is enough; in a pipe each line is read. */
const readKeys = (onLine: (line: string) => void): void => {
  const { stdin } = process
  if (!stdin.isTTY) {
    createInterface({ input: stdin }).on('line', onLine)
    return
  }
  stdin.setRawMode(true)
  stdin.on('data', (key: Buffer) => {
    // In raw mode Ctrl-C is a key like any other.
    if (key[0] === 3) process.exit(0)
    onLine(key.toString())
  })
}

const stopReadingKeys = (): void => {
  if (process.stdin.isTTY) process.stdin.setRawMode(false)
  process.stdin.destroy()
}

export const listenCommand = (): SandboxCommand =>
  new SandboxCommand('listen')
    .description('forwards a merchant’s events and IPNs from a running sandbox to local URLs')
    .requiredOption('--forward <url>', 'receives the IPNs, and the events unless --events is given')
    .option('--events <url>', 'receives the events')
    .merchantOptions()
    .option('--resend <id>', 'first sends this delivery (its Webhook-Id) again')
    .notes(`The local answer is the delivery's answer, and plazo sends again on its schedule. Headers and bodies are forwarded
unchanged. The key r sends the last delivery again; in a pipe, the line "r <id>" sends that one. Ends with Ctrl-C.`)
    .examples(
      'plazo listen --forward http://localhost:4000/ipn --events http://localhost:4000/events',
    )
    .action(listen)
