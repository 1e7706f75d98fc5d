// A merchant's shop reads its credentials here, above all the secret that verifies signatures. Interface §4.3, contract §3.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import { orNull } from './scalars.ts'

export const Credentials = schemaName(
  'Credentials',
  t.readonly(
    t.strict({
      ref: t.string,
      name: t.string,
      country: orNull(t.string),
      currency: t.string,
      signature_secret: description('The key that signs webhooks: these 32 characters.', t.string),
      verify_signature: t.literal(true),
      options: t.readonly(
        t.strict({
          send_action_events_in_identification: description(
            'Whether identification_action events are sent.',
            t.boolean,
          ),
        }),
      ),
    }),
  ),
)
export type Credentials = t.TypeOf<typeof Credentials>
