// Serves the small script that mounts the card form in a shop's page, no matter who serves the form. Contract §8, Card form.
import { Hono } from 'hono'
import { cardFormSdk } from '../pages/card-form-sdk.ts'

export const cardFormSdkRoutes = (service: string) =>
  new Hono().get('/sdk/card-form.js', (c) =>
    c.body(cardFormSdk(service), 200, {
      'content-type': 'text/javascript; charset=UTF-8',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
    }),
  )
