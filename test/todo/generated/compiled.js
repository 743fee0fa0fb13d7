// Generated from openapi.yaml by `npx tap run --snapshot test/todo/todo-list.test.ts`.

// Each check adds all violations of a value to `faults`, and makes integers of int64 bigints. Each fill adds what is
// absent and has a default. Each writer returns the JSON text of a value, and throws at its first violation.
export const compiled = (({ anyOf, broken, canonical, codePoints, decided, digits, discriminated, equal, exactJson, fault, formats, hasDuplicates, int64, isMultiple, isObject, json, jsonInteger, names, noVariant, once, oneOf, remembered, remembering }) => {
  const names1 = ['done']
  const is2 = formats('uri')
  const names3 = []
  const names4 = ['title']
  const names5 = ['todoId']

  const checkListTodosQuery = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      for (const key in v) {
        if (key !== 'done') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names1 })
      }
      let $done = v.done
      if ($done !== undefined) {
        if (typeof $done !== 'boolean') fault(faults, 'type', { up: path, at: 'done' }, $done, { type: 'boolean' })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const fillListTodosQuery = (v) => {
    if (v.done === undefined) v.done = false
  }

  const judgeListTodosQuery = (v, parent, at, path, faults) => {
    checkListTodosQuery(v, parent, at, path, faults)
    if (faults.length === 0) fillListTodosQuery(parent[at])
  }

  const writeProblem = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'type' && key !== 'title' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $type = v.type
    if ($type === undefined) throw broken(path, 'required', { missingProperty: 'type' })
    if (typeof $type !== 'string') throw broken({ up: path, at: 'type' }, 'type', { type: 'string' }, $type)
    if (!is2($type)) throw broken({ up: path, at: 'type' }, 'format', { format: 'uri' })
    const $title = v.title
    if ($title === undefined) throw broken(path, 'required', { missingProperty: 'title' })
    if (typeof $title !== 'string') throw broken({ up: path, at: 'title' }, 'type', { type: 'string' }, $title)
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if (!(Number.isInteger($status) && $status >= -2147483648 && $status <= 2147483647)) throw broken({ up: path, at: 'status' }, 'format', { format: 'int32' })
    return '{"type":' + JSON.stringify($type) + ',"title":' + JSON.stringify($title) + ',"status":' + $status + '}'
  }

  const rowTodo = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'id' && key !== 'title' && key !== 'done' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $id = v.id
    if ($id === undefined) throw broken(path, 'required', { missingProperty: 'id' })
    if (!Number.isInteger($id)) throw broken({ up: path, at: 'id' }, 'type', { type: 'integer' }, $id)
    if (!(Number.isInteger($id) && $id >= -2147483648 && $id <= 2147483647)) throw broken({ up: path, at: 'id' }, 'format', { format: 'int32' })
    const $title = v.title
    if ($title === undefined) throw broken(path, 'required', { missingProperty: 'title' })
    if (typeof $title !== 'string') throw broken({ up: path, at: 'title' }, 'type', { type: 'string' }, $title)
    const $done = v.done
    if ($done === undefined) throw broken(path, 'required', { missingProperty: 'done' })
    if (typeof $done !== 'boolean') throw broken({ up: path, at: 'done' }, 'type', { type: 'boolean' }, $done)
    return { id: $id, title: $title, done: $done }
  }

  const writeListTodos200 = (v, path) => {
    if (!Array.isArray(v)) throw broken(path, 'type', { type: 'array' }, v)
    const rows = []
    for (let i = 0; i < v.length; i++) rows.push(rowTodo(v[i], { up: path, at: i }))
    return JSON.stringify(rows)
  }

  const checkAddTodoQuery = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      for (const key in v) {
        if (true) fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names3 })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const checkNewTodo = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      if (v.title === undefined) fault(faults, 'required', path, v, { missingProperty: 'title' })
      for (const key in v) {
        if (key !== 'title') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names4 })
      }
      let $title = v.title
      if ($title !== undefined) {
        if (typeof $title === 'string') {
          if ($title.length > 80 && codePoints($title) > 80) fault(faults, 'maxLength', { up: path, at: 'title' }, $title, { limit: 80 })
          else if ($title.length < 1) fault(faults, 'minLength', { up: path, at: 'title' }, $title, { limit: 1 })
        } else fault(faults, 'type', { up: path, at: 'title' }, $title, { type: 'string' })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const writeTodo = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'id' && key !== 'title' && key !== 'done' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $id = v.id
    if ($id === undefined) throw broken(path, 'required', { missingProperty: 'id' })
    if (!Number.isInteger($id)) throw broken({ up: path, at: 'id' }, 'type', { type: 'integer' }, $id)
    if (!(Number.isInteger($id) && $id >= -2147483648 && $id <= 2147483647)) throw broken({ up: path, at: 'id' }, 'format', { format: 'int32' })
    const $title = v.title
    if ($title === undefined) throw broken(path, 'required', { missingProperty: 'title' })
    if (typeof $title !== 'string') throw broken({ up: path, at: 'title' }, 'type', { type: 'string' }, $title)
    const $done = v.done
    if ($done === undefined) throw broken(path, 'required', { missingProperty: 'done' })
    if (typeof $done !== 'boolean') throw broken({ up: path, at: 'done' }, 'type', { type: 'boolean' }, $done)
    return '{"id":' + $id + ',"title":' + JSON.stringify($title) + ',"done":' + $done + '}'
  }

  const checkFinishTodoParams = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      if (v.todoId === undefined) fault(faults, 'required', path, v, { missingProperty: 'todoId' })
      for (const key in v) {
        if (key !== 'todoId') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names5 })
      }
      let $todoId = v.todoId
      if ($todoId !== undefined) {
        if (typeof $todoId === 'bigint') v.todoId = $todoId = Number($todoId)
        if (!Number.isInteger($todoId)) fault(faults, 'type', { up: path, at: 'todoId' }, $todoId, { type: 'integer' })
        if (Number.isFinite($todoId)) {
          if ($todoId < 1) fault(faults, 'minimum', { up: path, at: 'todoId' }, $todoId, { limit: 1 })
          if (!(Number.isInteger($todoId) && $todoId >= -2147483648 && $todoId <= 2147483647)) fault(faults, 'format', { up: path, at: 'todoId' }, $todoId, { format: 'int32' })
        }
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  return {
    listTodos: {
      query: judgeListTodosQuery,
      contents: { default: { ['application/problem+json']: writeProblem } },
      responses: { 200: writeListTodos200 }
    },
    addTodo: {
      query: checkAddTodoQuery,
      body: checkNewTodo,
      contents: { 409: { ['application/problem+json']: writeProblem }, default: { ['application/problem+json']: writeProblem } },
      responses: { 201: writeTodo }
    },
    finishTodo: {
      params: checkFinishTodoParams,
      query: checkAddTodoQuery,
      contents: { 404: { ['application/problem+json']: writeProblem }, default: { ['application/problem+json']: writeProblem } },
      responses: { 200: writeTodo }
    }
  }
})
