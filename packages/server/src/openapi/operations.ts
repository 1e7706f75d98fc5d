// Collects the descriptions of all routes for the OpenAPI document.
import { checkoutOperations } from '../routes/checkout-operations.ts'
import { consoleOperations } from '../routes/console-operations.ts'
import { deliveryOperations } from '../routes/deliveries-operations.ts'
import { healthOperations } from '../routes/health-operations.ts'
import { identificationFormOperations } from '../routes/identification-form-operations.ts'
import { merchantOperations } from '../routes/merchants-operations.ts'
import { orderOperations } from '../routes/orders-operations.ts'
import { payOperations } from '../routes/pay-operations.ts'
import { paymentMethodOperations } from '../routes/payment-methods-operations.ts'
import { providerOperations } from '../routes/providers-operations.ts'
import { referenceOperations } from '../routes/reference-operations.ts'
import { sandboxOperations } from '../routes/sandbox-operations.ts'
import type { Operations, Setting } from './operation.ts'

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
