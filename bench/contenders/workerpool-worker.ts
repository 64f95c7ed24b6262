import workerpool from 'workerpool'
import { tasks } from '../tasks.js'

workerpool.worker(tasks)
