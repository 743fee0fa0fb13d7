import { spawnSync } from 'node:child_process'

const canTrace = spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0

/** Options for tests that need strace. */
export const onlyTraced = canTrace ? {} : { skip: 'needs strace (apt-get install strace) and permission to use it' }
