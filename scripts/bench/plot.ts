interface Panel {
  title: string
  lines: { color: string; isDashed: boolean; points: readonly (readonly [part: number, ms: number])[] }[]
}

const size = { width: 280, height: 240 }
const area = { left: 50, right: 264, top: 30, bottom: 200 }
const [leastMs, mostMs] = [0.05, 500]

/** An SVG of latencies by part of the requests, with logarithmic scales: the slowest tenth has most of the width. */
export const plot = (panels: readonly Panel[], key: string): string => {
  const width = panels.length * size.width
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size.height}" font-family="sans-serif" font-size="11" fill="#333">`,
    // Also where the page is dark.
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...panels.flatMap(({ title, lines }, index) => [
      `<g transform="translate(${index * size.width})">`,
      label(title, (area.left + area.right) / 2, 18),
      ...grid,
      ...lines.map(lineOf),
      '</g>'
    ]),
    label(key, width / 2, size.height - 8),
    '</svg>\n'
  ].join('\n')
}

const x = (part: number) =>
  Math.round(area.left + ((area.right - area.left) * Math.log((1 - part) / 0.5)) / Math.log(0.001 / 0.5))
const y = (ms: number) =>
  Math.round(
    area.bottom -
      ((area.bottom - area.top) * Math.log(Math.min(mostMs, Math.max(leastMs, ms)) / leastMs)) /
        Math.log(mostMs / leastMs)
  )

const label = (text: string, left: number, top: number, anchor = 'middle') =>
  `<text x="${left}" y="${top}" text-anchor="${anchor}">${text}</text>`

const grid = [
  ...[0.1, 1, 10, 100].flatMap(ms => [
    `<path d="M${area.left},${y(ms)}H${area.right}" stroke="#ddd"/>`,
    label(`${ms} ms`, area.left - 4, y(ms) + 4, 'end')
  ]),
  ...[0.5, 0.9, 0.99, 0.999].flatMap(part => [
    `<path d="M${x(part)},${area.top}V${area.bottom}" stroke="#ddd"/>`,
    label(`p${100 * part}`, x(part), area.bottom + 14)
  ])
]

const lineOf = ({ color, isDashed, points }: Panel['lines'][number]) => {
  const dashes = isDashed ? ' stroke-dasharray="4 3"' : ''
  return `<polyline points="${points.map(([part, ms]) => `${x(part)},${y(ms)}`).join(' ')}" fill="none" stroke="${color}" stroke-width="1.8"${dashes}/>`
}
