import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readSecret } from './secret-input.ts'

type Given = {
  readonly option?: string | true
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** What is typed after each question of a terminal. */
  readonly typed?: readonly string[]
}

/** Resolves to the secret and everything that the terminal showed. */
const read = async ({ option = true, env = {}, input, typed }: Given) => {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: typed !== undefined,
    setRawMode: () => {},
  })
  const stderr = new PassThrough()
  let screen = ''
  const answers = [...(typed ?? [])]
  stderr.on('data', (chunk: Buffer) => {
    screen += chunk
    if (String(chunk).endsWith(': ')) setImmediate(() => stdin.write(answers.shift() ?? '\u0004'))
  })
  if (input !== undefined) stdin.end(input)
  const secret = await readSecret('password', option, { stdin, stderr, env })
  return { secret, screen }
}

describe('a secret on the command line', () => {
  it('is asked for twice at a terminal, which does not show it', async () => {
    expect(await read({ typed: ['of lamps\r', 'of lamps\r'] })).toEqual({
      secret: 'of lamps',
      screen: 'New password: \nThe same password again: \n',
    })
    await expect(read({ typed: ['of lamps\r', 'of lambs\r'] })).rejects.toThrow(
      'You typed two different ones',
    )
    await expect(read({ typed: ['\u0003'] })).rejects.toThrow('Nothing was typed')
    await expect(read({ typed: ['\u0004'] })).rejects.toThrow('Nothing was typed')
  })

  it.each([
    ['of lamps', 'of lamps'],
    ['of lamps\n', 'of lamps'],
    [' of lamps \r\n', ' of lamps '],
    ['two\nlines\n', 'two\nlines'],
  ])(
    'is read from standard input for `-`, without the last line break: %j',
    async (input, secret) => {
      expect((await read({ option: '-', input })).secret).toBe(secret)
    },
  )

  it('is the variable’s if it is given without a value, else its own text', async () => {
    const env = { MERCHANT_PASSWORD: 'of the environment' }
    expect((await read({ env, typed: [] })).secret).toBe('of the environment')
    expect((await read({ env, option: 'of the argument' })).secret).toBe('of the argument')
    await expect(read({})).rejects.toThrow(
      '--password has no value. Pipe it in with `--password -`, or set MERCHANT_PASSWORD.',
    )
  })
})
