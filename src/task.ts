/** For authors of task modules. Light: imports nothing of the dispatcher. */

export type { TaskContext } from './protocol/task-contract.js'
export { type Transferred, transfer } from './protocol/transfer.js'
