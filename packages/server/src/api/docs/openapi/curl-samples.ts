// Writes a request as lines of curl that can be pasted into a shell. Values that differ from order
// to order are variables.
import type { Caller, Operation, Parameters, Setting } from '../../../http/route.ts'
import { PATH_PARAMETERS } from './path-parameters.ts'

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const credentials = (caller: Caller, { samples }: Setting): readonly string[] => {
  if (caller === 'merchant') return [`-u ${samples.merchant}`]
  if (caller === 'operator') return [`-u "operator:${samples.operatorPassword}"`]
  return []
}

const sampleValue = ({
  variable,
  example,
}: Pick<Parameters[string], 'variable' | 'example'> = {}): string | undefined =>
  variable === undefined ? example : `$${variable}`

const fillPath = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) => sampleValue(PATH_PARAMETERS[name]) ?? name)

const queryOf = ({ parameters }: Operation): string => {
  const values = Object.entries(parameters).flatMap(([name, parameter]) => {
    const value = sampleValue(parameter)
    return parameter.in === 'query' && value !== undefined ? [`${name}=${value}`] : []
  })
  return values.length === 0 ? '' : `?${values.join('&')}`
}

const LINE = 88

/** JSON for people: what is short keeps to one line. */
const formatJson = (value: unknown, indent = '  '): string => {
  const line = JSON.stringify(value)
  if (indent.length + line.length <= LINE || typeof value !== 'object' || value === null)
    return line
  const deeper = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Object.entries(value).map(([name, part]) => {
    const text = formatJson(part, deeper)
    return `${deeper}${Array.isArray(value) ? '' : `${JSON.stringify(name)}: `}${text}`
  })
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

const bodyOf = (mediaType: string, example: unknown): readonly string[] =>
  mediaType === 'application/json'
    ? [`-H 'content-type: ${mediaType}'`, `-d ${shellQuote(formatJson(example))}`]
    : Object.entries(example as Readonly<Record<string, string>>).map(
        ([name, value]) => `--data-urlencode ${shellQuote(`${name}=${value}`)}`,
      )

export type Sample = { readonly lang: 'Shell'; readonly label: string; readonly source: string }

/** A line of curl cannot sign a body, and nobody should paste what destroys data or never ends. */
const UNSAMPLED = new Set([
  'providerCallback',
  'demoNotify',
  'demoEvents',
  'eraseShopper',
  'followOrderOnMachine',
])

/** An order that is placed is the one that later samples name, by the end of its Location. */
const variableOf = ({ answers }: Operation): string | undefined =>
  answers[204]?.headers?.Location && 'ORDER'

/**
 * One sample for each example of the body, or a single one. `path` has its parameters in braces.
 */
export const samplesOf = (
  setting: Setting,
  method: string,
  path: string,
  operation: Operation,
): readonly Sample[] => {
  const { id, caller, content = {} } = operation
  if (UNSAMPLED.has(id) || caller === 'webhook') return []
  const variable = variableOf(operation)
  const [[mediaType, { examples = {} }] = ['', {}]] = Object.entries(content)
  const sample = (label: string, body: readonly string[]): Sample => {
    const words = [
      variable === undefined ? "curl -s -w '\\n'" : "curl -s -o /dev/null -w '%header{location}'",
      ...credentials(caller, setting),
      ...(method === 'GET' || (method === 'POST' && body.length > 0) ? [] : [`-X ${method}`]),
      `"${setting.baseUrl}${fillPath(path)}${queryOf(operation)}"`,
    ]
    const source = [words.join(' '), ...body].join(' \\\n  ')
    return {
      lang: 'Shell',
      label,
      source:
        variable === undefined
          ? source
          : `${variable}=$(${source})\n${variable}=\${${variable}##*/}`,
    }
  }
  const samples = Object.entries(examples).map(([label, { value }]) =>
    sample(label, bodyOf(mediaType, value)),
  )
  return samples.length === 0 ? [sample('the request', [])] : samples
}
