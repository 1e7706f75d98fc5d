import { expect, it } from 'vitest'
import { UnfitSetting, unfitToListen } from './unfit-setting.ts'

const failing = (code: string) => Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen' })

it.each([
  ['EACCES', 'PORT is "80": wanted is a port that this user may listen on (listen EACCES).'],
  ['EADDRINUSE', 'PORT is "80": wanted is a port that is free (listen EADDRINUSE).'],
  ['EAI_AGAIN', 'HOST is "here": wanted is an address or host name of this machine (listen EAI_AGAIN).'],
  ['EADDRNOTAVAIL', 'HOST is "here": wanted is an address or host name of this machine (listen EADDRNOTAVAIL).'],
])('listening that ends with %s names the setting', (code, line) => {
  const told = unfitToListen({ port: 80, host: 'here' }, failing(code))
  expect(told).toBeInstanceOf(UnfitSetting)
  expect(told).toMatchObject({ message: line })
})

it('what has nothing to do with a setting is told as it is', () => {
  const cause = failing('EMFILE')
  expect(unfitToListen({ port: 80, host: 'here' }, cause)).toBe(cause)
})
