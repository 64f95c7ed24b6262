/** Imported by tests with properties: the same cases in every run, so that a failure is never a matter of luck. */

import fc from 'fast-check'

fc.configureGlobal({ seed: 20_180_112 })
