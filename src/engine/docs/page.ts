import { browser } from './browser.ts'

/** Runs before anything is drawn, and as a file of its own, since the page's policy forbids scripts within it. */
export const pageScript = `(${browser})()\n`

/** With addresses relative to that of the page; a file that changes has another one, so that it may be kept for ever. */
export const pageHtml = (
  { title, summary = '' }: { title: string; summary?: string },
  versions: Map<string, string>
) => {
  const at = (file: string) => `${file}?v=${versions.get(file)}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<title>${escaped(title)}</title>
<link rel="icon" type="image/png" sizes="32x32" href="${at('static/favicon-32x32.png')}">
<link rel="icon" type="image/png" sizes="16x16" href="${at('static/favicon-16x16.png')}">
<link rel="stylesheet" href="${at('static/swagger-ui.css')}">
<link rel="stylesheet" href="${at('static/index.css')}">
<link rel="preload" as="fetch" href="../openapi.json" crossorigin>
<script src="${at('static/swagger-initializer.js')}"></script>
<script src="${at('static/swagger-ui-bundle.js')}" defer></script>
</head>
<body>
<div id="swagger-ui"></div>
<noscript>
<p>This page needs JavaScript. What it shows is written in <a href="../openapi.yaml">openapi.yaml</a>.</p>
</noscript>
</body>
</html>
`
}

const escaped = (text: string) => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
