// Parses a curl command of the reference page as a shell and curl would. It supports only the
// syntax that the page uses.

export type Variables = Readonly<Record<string, string>>

export type CurlRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const expandVariables = (text: string, variables: Variables): string =>
  text.replace(
    /\$(?:\{(\w+):-([^}]*)\}|(\w+))/g,
    (_all, name: string, otherwise: string, plain: string) => {
      const value = variables[name ?? plain] ?? otherwise
      if (value === undefined) throw new Error(`The sample needs a variable ${plain}.`)
      return value
    },
  )

const wordsOf = (line: string, variables: Variables): readonly string[] => {
  const words = line.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? []
  return words.map((word) =>
    (word.match(/'[^']*'|"[^"]*"|\\.|[^'"\\]+/g) ?? [])
      .map((part) => {
        if (part.startsWith("'")) return part.slice(1, -1)
        if (part.startsWith('\\')) return part.slice(1)
        return expandVariables(part.startsWith('"') ? part.slice(1, -1) : part, variables)
      })
      .join(''),
  )
}

/**
 * The request of a sample. If a sample stores the answer's Location in a variable, only its request
 * is read.
 */
export const curlRequest = (source: string, variables: Variables): CurlRequest => {
  const [line = ''] = /curl [\s\S]*?(?=\)\n|$)/.exec(source) ?? []
  const [, ...words] = wordsOf(line, variables)
  const headers: Record<string, string> = {}
  const data: string[] = []
  let method: string | null = null
  let url = ''
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const value = () => {
      index += 1
      return words[index] ?? ''
    }
    if (word === '-s') continue
    else if (word === '-o' || word === '-w') value()
    else if (word === '-u') headers.authorization = `Basic ${btoa(value())}`
    else if (word === '-X') method = value()
    else if (word === '-H') {
      const [name = '', ...rest] = value().split(': ')
      headers[name] = rest.join(': ')
    } else if (word === '-d') data.push(value())
    else if (word === '--data-urlencode') {
      const [name = '', ...rest] = value().split('=')
      data.push(`${name}=${encodeURIComponent(rest.join('='))}`)
    } else if (word.startsWith('-')) throw new Error(`What does curl do with ${word}?`)
    else url = word
  }
  if (data.length > 0) headers['content-type'] ??= 'application/x-www-form-urlencoded'
  return {
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    url,
    headers,
    body: data.length > 0 ? data.join('&') : null,
  }
}
