// Keys that the cipher took although they are wrong would leave orders that nobody can read.
import { expect, it } from 'vitest'
import { rowsCipher } from './rows-cipher.ts'

const KEY = `first:${btoa('0'.repeat(32))}`

it.each([
  ['have one id', `${KEY},${KEY}`, 'Two master keys have the same id.'],
  ['are missing', undefined, 'Each master key is <id>:<base64 of 32 bytes>.'],
])('master keys are refused that %s', async (_, masterKeys, sentence) => {
  await expect(rowsCipher(masterKeys as string)).rejects.toThrow(sentence)
})
