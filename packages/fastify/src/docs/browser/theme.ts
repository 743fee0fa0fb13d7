import { h } from './elements.ts'
import type { Untyped } from './untyped.ts'

/** The reader's choice, otherwise the system's. */
export const createTheme = () => {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (localStorage.getItem('docs-theme') ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark'
  const apply = () => document.documentElement.classList.toggle('dark-mode', isDark())
  const toggle = () => {
    localStorage.setItem('docs-theme', isDark() ? 'light' : 'dark')
    apply()
  }
  const onSystemChange = (listener: () => void) => prefersDark.addEventListener('change', listener)
  apply()
  onSystemChange(apply)
  return { isDark, toggle, onSystemChange }
}

export const ThemeButton = ({ theme }: { theme: Theme }) => {
  const [isDark, setDark] = React.useState(theme.isDark)
  const update = () => setDark(theme.isDark())
  const onClick = () => {
    theme.toggle()
    update()
  }
  React.useEffect(() => theme.onSystemChange(update), [])
  return h('button', { type: 'button', className: 'contents-button', onClick }, isDark ? 'Light mode' : 'Dark mode')
}

export type Theme = ReturnType<typeof createTheme>

declare const React: Untyped
declare const document: Untyped
declare const localStorage: Untyped
declare const matchMedia: Untyped
