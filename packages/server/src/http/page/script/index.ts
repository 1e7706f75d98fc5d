// @plazo/server/internal/browser: what the scripts of all pages share. They may change with each version.
//
// ```ts
// import { euros } from '@plazo/server/internal/browser'
//
// console.log(euros(12_100))
// ```

export {
  emit,
  hear,
  icon,
  make,
  makeButton,
  makeShadow,
  moveByArrows,
  sayIn,
  setAttributes,
} from './dom.ts'
export {
  countdown,
  euros,
  orderName,
  otherDay,
  readableInstant,
  VALID_SIGNATURE_TEXT,
} from './formats.ts'
export { followWhileShown, postJson, readJson, readPage } from './requests.ts'
export { eventNames, eventNote, eventWords, firedWords, orderStateWords } from './words.ts'
