import t from 'tap'
import { showStep, showSteps } from '../src/progress.ts'

t.test('a terminal says which step a command is in, once it has taken two seconds', async t => {
  const written: string[] = []
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0
  showSteps(false)
  showStep('of another command', { isTTY: true, write }, 2_000)
  showSteps(true)
  showStep('early', { isTTY: true, write }, 1_999)
  showStep('late', { isTTY: true, write }, 2_000)
  showStep('in a log', { isTTY: false, write }, 2_000)
  t.strictSame(written, ['late …\n'])
})
