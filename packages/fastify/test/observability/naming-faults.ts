/** Names on a page of metrics that break the conventions of Prometheus, by the rules of `promtool check metrics`. */
export const namingFaults = (page: string): string[] => {
  const helped = new Set([...page.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name))
  return [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) => {
    const words = name.split('_')
    const labels = [...page.matchAll(new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'gm'))].join(' ')
    const faults = {
      'has no help text': !helped.has(name),
      'is not in snake case': !/^[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(name),
      'is a counter without _total': type === 'counter' && !name.endsWith('_total'),
      'is none, and ends in _total': type !== 'counter' && name.endsWith('_total'),
      'ends like a part of a histogram': /_(?:count|sum|bucket)$/.test(name),
      'names its type': words.includes(type),
      'has the label of a histogram': type !== 'histogram' && /\b(?:le|quantile)=/.test(labels),
      'abbreviates a unit': words.some(word => /^(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)$/.test(word)),
      'has another unit than the base unit': words.some(word => units.test(word))
    }
    return Object.entries(faults).flatMap(([fault, isSo]) => (isSo ? [`${name} ${fault}`] : []))
  })
}

const units =
  /^(?:(?:milli|micro|nano)seconds?|minutes?|hours?|days?|weeks?|(?:kilo|mega|giga|kibi|mebi|gibi)bytes?|bits?|percent)$/
