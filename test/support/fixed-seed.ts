// Every property runs from one seed, so that a red gate is red again; SEED runs it from another.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SEED ?? 1) })
