import { ThreadWorker } from 'poolifier'
import { tasks } from '../tasks.js'

// Constructing it registers the tasks with the thread. An idle thread must outlive the longest scenario.
new ThreadWorker(tasks as never, { maxInactiveTime: 600_000 })
