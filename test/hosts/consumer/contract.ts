// A port's promises, held against an adapter by a test of a project that depends on plazo.
import { memoryMerchants } from '@plazo/adapters/memory'
import { merchantsContract } from '@plazo/core/testing/contracts'

merchantsContract('merchants of mine', async () => ({ merchants: memoryMerchants(), close: async () => {} }))
