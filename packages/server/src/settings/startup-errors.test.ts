import { expect, it } from 'vitest'
import { InvalidSetting, listenError, openError } from './startup-errors.ts'

const errorWithCode = (code: string) =>
  Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen' })

it.each([
  ['EACCES', 'PORT must be a free port that this user may use (got "80"): listen EACCES.'],
  [
    'EAI_AGAIN',
    'HOST must be an address or host name of this machine (got "here"): listen EAI_AGAIN.',
  ],
  [
    'EADDRNOTAVAIL',
    'HOST must be an address or host name of this machine (got "here"): listen EADDRNOTAVAIL.',
  ],
])('listening that fails with %s names the setting', (code, line) => {
  const error = listenError({ port: 80, host: 'here' }, errorWithCode(code))
  expect(error).toBeInstanceOf(InvalidSetting)
  expect(error).toMatchObject({ message: line })
})

it('an error that no setting caused is shown unchanged', () => {
  const cause = errorWithCode('EMFILE')
  expect(listenError({ port: 80, host: 'here' }, cause)).toBe(cause)
})

it.each(['SQLITE_NOTADB', 'DATABASE_LATER', 'SQLITE_BUSY', 'SQLITE_CORRUPT', 'SQLITE_IOERR_WRITE'])(
  'opening that fails with %s names the setting, and says what to do',
  (code) => {
    const error = openError('x.db', Object.assign(new Error('It is so.'), { code }))
    expect(error).toBeInstanceOf(InvalidSetting)
    expect(String(error)).toMatch(
      /DATABASE_URL must be sqlite:<path> of .* \(got "sqlite:x\.db"\): It is so\. [A-Z].*\.$/,
    )
  },
)

it('a missing key is not an error of the file', () => {
  const cause = new Error('SECRET_KEY is not set.')
  expect(openError('x.db', cause)).toBe(cause)
})
