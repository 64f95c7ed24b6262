/** What `evenkeel/dashboard` exports. */

export { type Dashboard, type DashboardOptions, dashboard } from './dashboard.js'
