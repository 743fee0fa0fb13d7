/** `*` stands for one segment of a path or a part of it, `**` for any number of them. */
export const matchesPath = (pattern: string, path: string): boolean => {
  const parts = pattern.split(/(\/\*\*|\*\*|\*)/).map(part => {
    if (part === '/**') return '(?:/.*)?'
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : escaped(part)
  })
  return new RegExp(`^${parts.join('')}$`, 's').test(path)
}

/** The text as a regular expression that matches it. */
export const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
