import { Dialog, dialogHead } from './dialog.ts'
import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** The dialog for credentials. */
export const authorize = () => ({
  wrapComponents: {
    authorizationPopup: (_Original: Untyped, system: System) => () => h(AuthorizeDialog, { system }),
    oauth2: oauthForm,
    authorizeOperationBtn: (Original: Untyped) =>
      class extends Original {
        render() {
          const label = `Authorize this operation${this.props.isAuthorized ? ': saved' : ''}`
          return React.cloneElement(super.render(), { 'aria-label': label })
        }
      }
  }
})

export const AuthorizeDialog = ({ system }: Untyped) => {
  const { authActions, authSelectors, getComponent } = system
  const close = () => authActions.showDefinitions(false)
  const entries = authSelectors
    .shownDefinitions()
    .toArray()
    .flatMap((each: Untyped) => each.entrySeq().toArray())
  return h(Dialog, { name: 'Authorize', close }, [
    dialogHead('Authorize', close),
    h('p', null, [
      'What you save is kept in this browser, even after you close the page, until you remove it here. ',
      'It is sent only with the requests that you send from this page.'
    ]),
    entries.map(([name, scheme]: [string, Untyped]) =>
      scheme.get('type') === 'oauth2'
        ? h(getComponent('oauth2', true), {
            ...{ key: name, name, schema: scheme, isOnly: entries.length === 1 },
            authorized: authSelectors.authorized()
          })
        : h(CredentialForm, { key: name, system, name, scheme, isOnly: entries.length === 1 })
    )
  ])
}

/** The form for OAuth 2: Swagger UI gets the token, in the words and the layout of the other forms. */
export const oauthForm = (Original: Untyped, { getComponent }: System) =>
  class extends Original {
    render() {
      const { schema: scheme, name, isOnly, authorized, errSelectors } = this.props
      const [flow, login] = [scheme.get('flow'), scheme.get('authorizationUrl')]
      const isSaved = authorized.has(name)
      const scopes = (scheme.get('allowedScopes') ?? scheme.get('scopes'))?.toJS() ?? {}
      const errors = errSelectors.allErrors().filter((each: Untyped) => each.get('authId') === name)
      const input = ([key, label]: readonly [string, string]) => {
        const type = /assword|Secret/.test(key) ? 'password' : 'text'
        const attributes = {
          type,
          autoComplete: 'off',
          spellCheck: false,
          'data-name': key,
          onChange: this.onInputChange
        }
        return h('label', null, [label, h('input', { ...attributes, defaultValue: this.state[key] })])
      }
      const onSubmit = (event: Untyped) => {
        event.preventDefault()
        this.authorize()
      }
      return h('form', { className: 'credential', onSubmit }, [
        !isOnly && h('h3', null, [h('code', null, name)]),
        scheme.get('description') && h(getComponent('Markdown', true), { source: scheme.get('description') }),
        h('p', null, [
          login ? 'You log in, in another window, at ' : 'The token comes from ',
          h('code', null, login ?? scheme.get('tokenUrl')),
          '.'
        ]),
        statusOf(isSaved),
        !isSaved && fieldsOfFlow(flow).map(input),
        !isSaved && Object.keys(scopes).length > 0 && this.scopes(scopes),
        errors
          .toArray()
          .map((each: Untyped) => h('p', { role: 'alert', className: 'error-message' }, each.get('message'))),
        isSaved
          ? h('button', { type: 'button', className: 'btn', onClick: this.logout }, 'Remove')
          : h('button', { type: 'submit', className: 'btn execute' }, login ? 'Log in' : 'Get a token')
      ])
    }

    scopes(all: Record<string, string>) {
      return h('fieldset', null, [
        h('legend', null, 'What it may be used for'),
        Object.entries(all).map(([scope, description]) => {
          const attributes = { type: 'checkbox', 'data-value': scope, onChange: this.onScopeChange }
          const checked = this.state.scopes.includes(scope)
          return h('label', null, [h('input', { ...attributes, checked }), h('code', null, scope), ` ${description}`])
        })
      ])
    }
  }

export const fieldsOfFlow = (flow: string) =>
  (
    [
      ['username', 'User name', flow === 'password'],
      ['password', 'Password', flow === 'password'],
      ['clientId', 'Client ID', true],
      ['clientSecret', 'Client secret', flow !== 'implicit']
    ] as const
  ).flatMap(([key, label, isNeeded]) => (isNeeded ? [[key, label] as const] : []))

export const statusOf = (isSaved: boolean) =>
  h('p', { role: 'status', className: 'credential-status' }, [
    isSaved && 'Saved in this browser. The first request that you send shows whether the service accepts it.'
  ])

/** One key, token or password. Nobody has judged what is saved: the first response shows whether it is right. */
export const CredentialForm = ({ system, name, scheme, isOnly }: Untyped) => {
  const { authActions, authSelectors, getComponent } = system
  const fields = fieldsOf(scheme)
  const [values, setValues] = React.useState({})
  const isSaved = authSelectors.authorized().has(name)
  const onSubmit = (event: Untyped) => {
    event.preventDefault()
    const value = 'value' in values ? values.value : values
    authActions.authorizeWithPersistOption({ [name]: { name, schema: scheme, value } })
  }
  const remove = () => {
    authActions.logoutWithPersistOption([name])
    setValues({})
  }
  const input = ([key, label]: [string, string]) => {
    const onChange = (event: Untyped) => setValues({ ...values, [key]: event.target.value })
    const type = key === 'password' ? 'password' : 'text'
    const attributes = { type, required: key !== 'password', autoComplete: 'off', spellCheck: false, onChange }
    return h('label', null, [label, h('input', { ...attributes, value: values[key] ?? '' })])
  }
  return h('form', { className: 'credential', onSubmit }, [
    !isOnly && h('h3', null, [h('code', null, name)]),
    scheme.get('description') && h(getComponent('Markdown', true), { source: scheme.get('description') }),
    statusOf(isSaved),
    !isSaved && fields.map(input),
    fields.length === 0 && h('p', null, `This page cannot send credentials of type ${scheme.get('type')}.`),
    isSaved
      ? h('button', { type: 'button', className: 'btn', onClick: remove }, 'Remove')
      : fields.length > 0 && h('button', { type: 'submit', className: 'btn execute' }, 'Save')
  ])
}

/** The fields of a credential: their names in Swagger UI's state, and for people. */
export const fieldsOf = (scheme: Untyped): [string, string][] => {
  const [type, http] = [scheme.get('type'), scheme.get('scheme')?.toLowerCase()]
  if (http === 'basic')
    return [
      ['username', 'User name'],
      ['password', 'Password']
    ]
  if (type === 'apiKey') {
    const place = { header: 'the header', query: 'the query parameter', cookie: 'the cookie' }[
      scheme.get('in') as 'query'
    ]
    return [['value', `Key for ${place} ${scheme.get('name')}`]]
  }
  return http === 'bearer' ? [['value', scheme.get('x-client-option') === 'apiKey' ? 'API key' : 'Bearer token']] : []
}

declare const React: Untyped
