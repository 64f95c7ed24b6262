/** The live commands in the order of the help text. */

import { agreementCommand } from './agreement.js'
import { batchCommand } from './batch.js'
import { coldCommand } from './cold.js'
import type { BenchCommand } from './command.js'
import { floodCommand } from './flood.js'
import { idleCommand } from './idle.js'
import { payloadCommand } from './payload.js'
import { roundtripCommand } from './roundtrip.js'
import { runCommand } from './run.js'
import { serverCommand } from './server.js'
import { stallCommand } from './stall.js'
import { throughputCommand } from './throughput.js'
import { turnsCommand } from './turns.js'

export const benchCommands: readonly BenchCommand[] = [
  throughputCommand,
  turnsCommand,
  roundtripCommand,
  coldCommand,
  idleCommand,
  payloadCommand,
  floodCommand,
  stallCommand,
  serverCommand,
  batchCommand,
  runCommand,
  agreementCommand,
]
