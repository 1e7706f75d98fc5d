// The sandbox's commands call a running sandbox over HTTP, because only that server can move its
// clock and hand out its deliveries.
import { type WireNames, wireNames } from '@plazo/core'
import { Option } from 'commander'
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

/** For a rejected call to the server at `base`. */
export const refuseUnreachable =
  (base: string) =>
  (cause: unknown): never =>
    refuse(
      cause instanceof TypeError
        ? `No server answers at ${base}. Start one with \`${START}\`, or give its address with --url.`
        : String(cause instanceof Error ? cause.message : cause),
    )

/** Returns the JSON of an answer; refuses if the server is not a sandbox, or refuses the call. */
export const callSandbox = async (
  url: string,
  path: string,
  init: RequestInit = {},
): Promise<unknown> => {
  const base = url.replace(/\/+$/, '')
  const response = await fetch(`${base}${path}`, init).catch(refuseUnreachable(base))
  if (response.status === 404)
    return refuse(`The server at ${base} is not a sandbox: it has no ${path}.`)
  const body: unknown = await response.json().catch(() => null)
  // A long advance has sent its status before it fails.
  const detail =
    typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null
  return response.ok && detail === null
    ? body
    : refuse(`The server at ${base} answers ${response.status}: ${detail ?? 'no JSON'}`)
}
