const letter = String.raw`[\w.~!$&',;=@-]`
const segment = new RegExp(
  // Without parameters; with one that is all of it; with several, or one that is a part.
  String.raw`^(?:[\w.~!$&'()+,;=@%-]*|\{[^{}]+\}|${letter}*(?:\{[^{}]+\}${letter}+)*(?:\{[^{}]+\})?)$`
)

/** Whether the router can tell a path segment from others: there must be something between two parameters. */
export const isRoutable = (pathSegment: string): boolean => segment.test(pathSegment)

/** A path as the router's URL; `nameOf` gives a parameter's name there. A parameter is never empty. */
export const urlOf = (path: string, nameOf: (name: string) => string): string =>
  path
    .split('/')
    .map(each => {
      // The router lets a parameter be empty; the engine refuses that where it is a whole segment.
      const some = /^\{[^{}]+\}$/.test(each) ? '' : '(.+)'
      return each.replace(/\{([^}]+)\}/g, (_all, name: string) => `:${nameOf(name)}${some}`)
    })
    .join('/')
