/** All invalid settings, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(faults: string[]) {
    super(faults.join('\n'))
  }
}
