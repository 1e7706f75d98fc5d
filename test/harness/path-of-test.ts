// Most tests that need a file need it until they finish. Programs outside vitest use
// `temporaryPath` itself.
import { onTestFinished } from 'vitest'
import { temporaryPath } from './ports-and-folders.ts'

/** Call it in a test, or before each one. The file's folder is removed when the test finishes. */
export const pathOfTest = (file: string): string => {
  const { path, remove } = temporaryPath(file)
  onTestFinished(remove)
  return path
}
