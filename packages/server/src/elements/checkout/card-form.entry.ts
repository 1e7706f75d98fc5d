// A shop's page includes this script, which has no imports for it: the server puts the imported
// code into it. Contract §11, Card form.
import { mountCardForm } from './card-frame.ts'

/** The name of the global. The server fills it in. */
declare const SERVICE: string

const register = (name: string): void => {
  const globals = window as unknown as Record<string, object> // The service chooses the global's name.
  globals[name] = { ...globals[name], cardForm: mountCardForm }
}

register(SERVICE)
