import { type Contestant, contestants, names, type Requests } from './comparison.ts'

const width = 760
const labels = 230
const barHeight = 15
const groupGap = 34

/** Bars of CPU per request as ratios to the bare server, with the middle half of the ratios, as an SVG. */
export const plotOf = ({ kinds }: Pick<Requests, 'kinds'>): string => {
  const most = Math.max(...kinds.flatMap(({ figures }) => names.map(name => figures[name].ratio.upper)))
  const x = (ratio: number) => round(labels + (ratio / most) * (width - labels - 60))
  const groupHeight = names.length * barHeight + groupGap
  const groups = kinds.map(({ kind, figures }, group) => {
    const top = group * groupHeight + groupGap
    const bars = names.map((name, i) => {
      const { middle, lower, upper } = figures[name].ratio
      const y = top + i * barHeight
      const middleY = y + barHeight / 2 - 1
      const text = name === 'bare' ? `${figures.bare.cpu.toFixed(0)} µs` : middle.toFixed(2)
      return [
        `<text class="label" x="${labels - 8}" y="${y + 10}">${contestants[name].title}</text>`,
        `<rect class="${classOf(name)}" x="${labels}" y="${y}" width="${round(x(middle) - labels)}" height="${barHeight - 3}"/>`,
        `<path class="range" d="M${x(lower)} ${middleY}H${x(upper)}"/>`,
        `<text x="${round(x(Math.max(middle, upper)) + 6)}" y="${y + 10}">${text}</text>`
      ].join('')
    })
    return `<text class="title" x="8" y="${top - 8}">${kind.title}</text>${bars.join('')}`
  })
  const height = kinds.length * groupHeight + 12
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>CPU per request beside that of a bare server, with the middle half of the ratios</title>
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.label { text-anchor: end }
.other { fill: #8c959f }
.ours { fill: #2da44e }
.range, .one { stroke: #1f2328; fill: none }
.one { stroke-dasharray: 2 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .range, .one { stroke: #e6edf3 }
}
</style>
<path class="one" d="M${x(1)} 12V${height - 6}"/>
${groups.join('\n')}
</svg>
`
}

const classOf = (name: Contestant) => (name.startsWith('ours') ? 'ours' : 'other')
const round = (value: number) => Math.round(value * 10) / 10
