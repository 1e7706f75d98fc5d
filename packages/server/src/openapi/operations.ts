// Collects the descriptions of all routes for the OpenAPI document.

import type { Operations, Setting } from './operation.ts'
import { checkoutOperations } from './operations/checkout.ts'
import { consoleOperations } from './operations/console.ts'
import { deliveryOperations } from './operations/deliveries.ts'
import { merchantOperations, paymentMethodOperations } from './operations/merchants.ts'
import { identificationFormOperations, orderOperations } from './operations/orders.ts'
import { sandboxOperations } from './operations/sandbox.ts'
import { payOperations } from './operations/sandbox-pages.ts'
import { healthOperations, providerOperations, referenceOperations } from './operations/service.ts'

export const operations = (setting: Setting): Operations => ({
  ...checkoutOperations(setting),
  ...orderOperations(setting),
  ...merchantOperations,
  ...paymentMethodOperations(setting),
  ...identificationFormOperations(setting),
  ...deliveryOperations(setting),
  ...consoleOperations,
  ...healthOperations,
  ...providerOperations,
  ...referenceOperations,
  ...payOperations(setting),
  ...sandboxOperations(setting),
})
