// The sandbox's commands call a running sandbox over HTTP, because only that server can move its
// clock and hand out its deliveries.
import { type WireNames, wireNames } from '@plazo/core'
import { Option } from 'commander'
import type * as t from 'io-ts'
import { PlazoCommand } from '../command-line/command.ts'
import { START } from '../command-line/own-commands.ts'
import { refuse } from '../command-line/terminal.ts'
import { baseUrlOf } from '../settings/config.ts'

export class SandboxCommand extends PlazoCommand {
  override createCommand(name?: string): SandboxCommand {
    return new SandboxCommand(name)
  }

  /** The command calls a running sandbox. */
  sandboxOptions(): this {
    return this.option('--url <url>', 'the address of the sandbox', sandboxUrl())
  }

  /** The command calls a running sandbox as one of its merchants: `SandboxMerchant`. */
  merchantOptions(): this {
    return this.sandboxOptions()
      .option('--merchant <ref>', 'the merchant’s ref', 'demo')
      .option('--username <username>', 'the merchant’s username', 'demo')
      .addOption(
        new Option('--password <password>', 'the merchant’s password')
          .default('demo')
          .env('MERCHANT_PASSWORD'),
      )
  }
}

/** The address of the sandbox next to which the command runs. */
const sandboxUrl = (): string => {
  const { BASE_URL, HOST, PORT } = process.env
  return baseUrlOf({ baseUrl: BASE_URL || null, host: HOST || '127.0.0.1' }, Number(PORT || 3000))
}

export type SandboxMerchant = {
  readonly [option in 'url' | 'merchant' | 'username' | 'password']: string
}

export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** The names on the wire of a sandbox with the settings of this command. */
export const sandboxNames = (): WireNames =>
  wireNames(process.env.SERVICE_NAME || 'Service', process.env.IPN_STATE_PARAMETER || 'sq_state')

const UNIT_SECONDS: { readonly [unit: string]: number } = {
  s: 1,
  min: 60,
  h: 3_600,
  d: 86_400,
  week: 604_800,
}

/** A time such as `+30s` or `+1week`, in seconds; null if the text is none. */
export const secondsIn = (duration: string): number | null => {
  const [, count = '', unit = ''] =
    /^\+(\d{1,9}(?:\.\d{1,3})?)(s|min|h|d|week)s?$/.exec(duration) ?? []
  const seconds = UNIT_SECONDS[unit]
  return seconds === undefined ? null : Number(count) * seconds
}

export type SandboxClient = ReturnType<typeof sandboxClient>

/** Calls a running sandbox, as the merchant if there is one. */
export const sandboxClient = (server: Pick<SandboxMerchant, 'url'> & Partial<SandboxMerchant>) => {
  const { merchant, username = '', password = '' } = server
  const base = server.url.replace(/\/+$/, '')
  const identity: Readonly<Record<string, string>> =
    merchant === undefined
      ? {}
      : {
          authorization: basicAuthorization(username, password),
          [sandboxNames().merchantHeader]: merchant,
        }

  /** Rejects if no server answers. */
  const send = (method: string, path: string, body?: object, headers = {}): Promise<Response> =>
    fetch(`${base}${path}`, {
      method,
      headers: {
        ...identity,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })

  const refuseUnreachable = (): never =>
    refuse(
      `No server answers at ${base}. Start one with \`${START}\`, or give its address with --url.`,
    )

  const refuseAnswer = (status: number, text: string): never => {
    const body = parse(text)
    const isProblem = typeof body === 'object' && body !== null && 'detail' in body
    return refuse(`The server at ${base} answers ${status}: ${isProblem ? body.detail : text}`)
  }

  /** Refuses if no server answers, if it is no sandbox, or if it refuses. */
  const call = async (...request: Parameters<typeof send>): Promise<Response> => {
    const response = await send(...request).catch(refuseUnreachable)
    if (response.status === 404)
      return refuse(`The server at ${base} is not a sandbox: it has no ${request[1]}.`)
    return response.ok ? response : refuseAnswer(response.status, await response.text())
  }

  /** Returns the JSON of an answer; also refuses if it is not what a sandbox answers. */
  const read = async <A>(codec: t.Type<A>, ...request: Parameters<typeof send>): Promise<A> => {
    const response = await call(...request)
    const text = await response.text()
    const body = parse(text)
    // A long advance has sent its status before it fails.
    return codec.is(body) ? body : refuseAnswer(response.status, text)
  }

  return { base, send, call, read, refuseUnreachable }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
