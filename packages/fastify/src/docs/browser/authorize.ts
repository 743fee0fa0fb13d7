import { Dialog, dialogHead } from './dialog.ts'
import { h } from './elements.ts'
import type { System, Untyped } from './untyped.ts'

/** The dialog for credentials. */
export const authorize = () => ({
  wrapComponents: {
    authorizationPopup: (_Original: Untyped, system: System) => () => h(AuthorizeDialog, { system }),
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
        ? h(getComponent('oauth2', true), { key: name, name, schema: scheme, authorized: authSelectors.authorized() })
        : h(CredentialForm, { key: name, system, name, scheme, isOnly: entries.length === 1 })
    )
  ])
}

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
    h('p', { role: 'status', className: 'credential-status' }, [
      isSaved && 'Saved in this browser. The first request that you send shows whether the service accepts it.'
    ]),
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
