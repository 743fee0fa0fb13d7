// Plugins of Swagger UI. They are sent to the browser as source text: a function knows nothing that is outside of it.

interface System {
  // biome-ignore lint/suspicious/noExplicitAny: the page's own React, whose types we do not have
  React: { createElement(type: any, props: object | null, ...children: any[]): unknown }
  getComponent(name: string, container: boolean): unknown
  specSelectors: { specJson(): { getIn(path: string[]): unknown } }
}

/** Takes the button "Try it out" from operations that say `x-hideTryItPanel`. */
const hiddenPanels = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor:
          (original: (...args: string[]) => boolean, { specSelectors }: System) =>
          (_state: unknown, path: string, method: string) =>
            original(path, method) &&
            specSelectors.specJson().getIn(['paths', path, method, 'x-hideTryItPanel']) !== true
      }
    }
  }
})

/** Shows the digits of large integers as they came: Swagger UI reads an answer with JSON.parse, which rounds them. */
const exactIntegers = () => ({
  wrapComponents: {
    responseBody:
      (Original: unknown, { React: { createElement }, getComponent }: System) =>
      (props: { content: unknown; contentType?: string }) => {
        const { content, contentType = '' } = props
        const asItIs = createElement(Original, props)
        if (typeof content !== 'string' || !/json/i.test(contentType) || !/\d{16}/.test(content)) return asItIs
        try {
          const digits = (_key: string, value: unknown, { source }: { source?: string }) =>
            typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
          const text = JSON.stringify(JSON.parse(content, digits), null, 2)
          const shown = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true }
          return createElement(
            'div',
            null,
            createElement('h5', null, 'Response body'),
            createElement(getComponent('HighlightCode', true), shown, text)
          )
        } catch {
          // No JSON, or a browser that does not know the source of a number.
          return asItIs
        }
      }
  }
})

declare const SwaggerUIBundle: { plugins: { DownloadUrl: unknown } }

// Naming any plugin takes away the one that loads the document.
const downloadUrl = (system: unknown) => (SwaggerUIBundle.plugins.DownloadUrl as (system: unknown) => unknown)(system)

export const pagePlugins = [downloadUrl, hiddenPanels, exactIntegers]
