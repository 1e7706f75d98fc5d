// Creates a temporary folder for the files of one test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const temporaryPath = (file: string): { readonly path: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-'))
  return { path: join(folder, file), remove: () => rmSync(folder, { recursive: true }) }
}
