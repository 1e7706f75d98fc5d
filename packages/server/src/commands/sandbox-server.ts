// Developers' commands talk to the running sandbox over HTTP, because only that server can move its own clock.
import { refuse } from './terminal.ts'

/** The address of the sandbox next to which the command runs. */
export const sandboxUrl = (): string => process.env.BASE_URL || `http://localhost:${process.env.PORT || 3000}`

/** For a rejected call to the server at `base`. */
export const refuseUnreachable =
  (base: string) =>
  (cause: unknown): never =>
    refuse(
      cause instanceof TypeError
        ? `No server answers at ${base}. Start one with \`pnpm start\`, or give its address with --url.`
        : String(cause instanceof Error ? cause.message : cause),
    )

/** Returns the JSON of an answer; refuses if the server is not a sandbox, or refuses the call. */
export const callSandbox = async (url: string, path: string, init: RequestInit = {}): Promise<unknown> => {
  const base = url.replace(/\/+$/, '')
  const response = await fetch(`${base}${path}`, init).catch(refuseUnreachable(base))
  if (response.status === 404) return refuse(`The server at ${base} is not a sandbox: it has no ${path}.`)
  const body: unknown = await response.json().catch(() => null)
  // A long advance has sent its status before it fails.
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null
  return response.ok && detail === null
    ? body
    : refuse(`The server at ${base} answers ${response.status}: ${detail ?? 'no JSON'}`)
}
