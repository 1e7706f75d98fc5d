// Runs every property from a fixed seed, so that a failure repeats. Set SEED to use another seed.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SEED ?? 1) })
