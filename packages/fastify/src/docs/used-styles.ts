/**
 * The rules of Swagger UI's styles that its script can use: those whose classes occur in the script, or begin like a text
 * there that ends with a hyphen. Two thirds of all rules are for classes that nothing has.
 */
export const usedStyles = (styles: string, script: string): string => {
  const words = new Set(script.match(/[\w-]+/g))
  const beginnings = [...words].filter(each => /^[a-z].*-$/i.test(each))
  const isUsed = (name: string) => words.has(name) || beginnings.some(each => name.startsWith(each))
  return styles.replace(/[^{}@;]+\{[^{}]*\}/g, rule => {
    const selectors = rule.slice(0, rule.indexOf('{')).split(',')
    return selectors.some(each => (each.match(/(?<=\.)[a-z][\w-]*/gi) ?? []).every(isUsed)) ? rule : ''
  })
}
