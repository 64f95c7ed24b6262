/** What happens to workers and is no event of the dispatcher, on Node's diagnostics channel `evenkeel:worker:online`. */

import { channel } from 'node:diagnostics_channel'
import { publishSoon } from './outside-call.js'

const ONLINE = channel('evenkeel:worker:online')

/** The worker has loaded the module and takes tasks, so long after its thread was started. */
export function tellOnline({ slot, threadId }: { slot: number; threadId: number }, startMs: number): void {
  if (ONLINE.hasSubscribers) publishSoon(ONLINE, { slot, threadId, startMs })
}
