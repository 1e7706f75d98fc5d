// The sandbox's commands call a running sandbox over HTTP, because only that server can move its
// clock.
import * as E from 'fp-ts/lib/Either.js'
import * as J from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'
import { baseUrlOf } from '../settings/config.ts'
import { START } from '../settings/own-commands.ts'
import { PlazoCommand } from './command.ts'
import { refuse } from './terminal.ts'

/** A command with the option `--url`: by default, the sandbox next to which the command runs. */
export const sandboxCommand = (name: string): PlazoCommand => {
  const { BASE_URL, HOST, PORT } = process.env
  const url = baseUrlOf(
    { baseUrl: BASE_URL || null, host: HOST || '127.0.0.1' },
    Number(PORT || 3000),
  )
  return new PlazoCommand(name).option('--url <url>', 'the address of the sandbox', url)
}

const Problem = t.type({ detail: t.string })

/**
 * Gets the JSON of a path, or posts `body` to it. Refuses if the answer is not what a sandbox answers.
 */
export const sandboxAt =
  (url: string) =>
  async <A>(codec: t.Type<A>, path: string, body?: object, authorization = ''): Promise<A> => {
    const base = url.replace(/\/+$/, '')
    const response = await fetch(`${base}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization },
      body: body ? JSON.stringify(body) : null,
    }).catch(() =>
      refuse(
        `No server answers at ${base}. Start one with \`${START}\`, or give its address with --url.`,
      ),
    )
    const text = await response.text()
    if (response.status === 404)
      refuse(`The server at ${base} is not a sandbox: it has no ${path}.`)
    const answer = E.getOrElseW(() => null)(J.parse(text))
    // A long move of the clock has sent its status before it fails.
    if (response.ok && codec.is(answer)) return answer
    const reason = Problem.is(answer) ? answer.detail : text
    return refuse(`The server at ${base} answers ${response.status}: ${reason}`)
  }
