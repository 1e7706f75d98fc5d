// A command that makes steps of orders needs the same terms as the server next to it.
import { SANDBOX_CODE } from '@plazo/adapters/sandbox'
import type { Terms } from '@plazo/core'
import type { Config } from '../config.ts'
import { linksFrom } from '../http/links.ts'

export const termsOf = (config: Config, baseUrl: string): Terms => ({
  rules: {
    screeningWindow: config.screeningWindow,
    otpLifetime: config.otpLifetime,
    checkoutLifetime: config.checkoutLifetime,
    masterCode: config.mode === 'sandbox' ? SANDBOX_CODE : null,
  },
  links: linksFrom(baseUrl),
  names: config.names,
})
