/** Every fault of the environment, one line each, so that all can be mended at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(faults: string[]) {
    super(faults.join('\n'))
  }
}
