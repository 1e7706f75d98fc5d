// @plazo/server/internal/browser: what the scripts of all pages share. They may change with each version.
//
// ```ts
// import { euros } from '@plazo/server/internal/browser'
//
// console.log(euros(12_100))
// ```

export { hear, make, makeButton } from './dom.ts'
export { countdown, euros, orderName, otherDay, readableInstant } from './formats.ts'
export { followWhileShown, postJson, readJson } from './requests.ts'
export { firedWords, orderStateWords } from './words.ts'
