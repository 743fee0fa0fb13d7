const letter = String.raw`[\w.~!$&',;:=@-]`
const segment = new RegExp(
  // Without parameters; with one that is all of it; with several, or one that is a part.
  String.raw`^(?:[\w.~!$&'()+,;:=@%-]*|\{[^{}]+\}|${letter}*(?:\{[^{}]+\}${letter}+)*(?:\{[^{}]+\})?)$`
)

/** Whether the router can tell a path segment from others: there must be something between two parameters. */
export const isRoutable = (pathSegment: string): boolean => segment.test(pathSegment)

/** What is wrong with a segment that is not routable. */
export const faultOf = (pathSegment: string): string => {
  if (/[?#]/.test(pathSegment.replaceAll(/\{[^{}]*\}/g, '')))
    return pathSegment.includes('#')
      ? 'clients do not send what follows a #; give each operation a path of its own'
      : 'what follows a ? is not part of a path; declare it as query parameters'
  const [, first, second] = /(\{[^{}]+\})(\{[^{}]+\})/.exec(pathSegment) ?? []
  if (first !== undefined)
    return `nothing tells where ${first} ends and ${second} begins; put a character such as . between them, or make them one parameter`
  return "letters, digits and -._~!$&',;:=@ are expected, and {parameters} with some of them in between"
}

/** A path as the router's URL; `nameOf` gives a parameter's name there. A parameter is never empty. */
export const urlOf = (path: string, nameOf: (name: string) => string): string =>
  path
    .split('/')
    .map(each => {
      // The router accepts an empty parameter; if it is a whole segment, the engine rejects that itself.
      const some = /^\{[^{}]+\}$/.test(each) ? '' : '(.+)'
      // The router reads a double colon as a plain one.
      return each.replaceAll(':', '::').replace(/\{([^}]+)\}/g, (_all, name: string) => `:${nameOf(name)}${some}`)
    })
    .join('/')
