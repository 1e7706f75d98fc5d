// A project that depends on plazo can run a port's contract against its own adapter.
import { memoryMerchants } from '@plazo/adapters/memory'
import { merchantsContract } from '@plazo/core/testing/contracts'

merchantsContract('merchants of mine', async () => ({
  merchants: memoryMerchants(),
  close: async () => {},
}))
