import type { Usage } from './trial.ts'

/** What this process has used so far. */
export const usage = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { seconds: (user + system) / 1e6, megabytes: process.resourceUsage().maxRSS / 1024 }
}
