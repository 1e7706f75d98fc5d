// Serves the privacy policy that shoppers read if the operator names no page of their own.
import type { WireNames } from '@plazo/core'
import { Hono } from 'hono'
import { acceptedLanguage } from '../accepted-language.ts'
import { privacyPage, privacyTitle } from '../pages/privacy.ts'
import { shopperPage } from '../pages/shopper-page.ts'

export const PRIVACY_PATH = '/privacy'

export const privacyRoutes = ({ service }: WireNames) =>
  new Hono().get(PRIVACY_PATH, (c) => {
    const language = acceptedLanguage(c)
    const title = privacyTitle(language, service)
    return shopperPage(c, { language, title, scripts: [], body: privacyPage(language, service), policy: [] })
  })
