// Generated from openapi/petstore.yaml by `npm run generate`: edit that, not this.

// Each check adds all violations of a value to `faults`, and makes integers of int64 bigints. Each fill adds what is
// absent and has a default. Each writer returns the JSON text of a value, and throws at its first violation.
export const compiled = (({ anyOf, broken, canonical, codePoints, decided, digits, discriminated, equal, exactJson, fault, formats, hasDuplicates, int64, isMultiple, isObject, json, jsonInteger, names, noVariant, once, oneOf, remembered, remembering }) => {
  const names1 = ['limit', 'status', 'cursor']
  const values2 = ['available', 'pending', 'sold']
  const pattern3 = new RegExp('^[A-Za-z0-9_-]{11}$')
  const pattern4 = new RegExp('^<\\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$')
  const pattern5 = new RegExp('^"default";q=[0-9]{1,7};w=[0-9]{1,5}$')
  const pattern6 = new RegExp('^"default";r=[0-9]{1,7};t=[0-9]{1,5}$')
  const pattern7 = new RegExp('^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$')
  const pattern8 = new RegExp('^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$', 'u')
  const pattern9 = new RegExp('^[a-z][a-z0-9_]{0,63}$')
  const names10 = []
  const pattern11 = new RegExp('^[\\x21-\\x7e]{1,255}$')
  const names12 = ['name', 'categoryId', 'status']
  const pattern13 = new RegExp('^pets/[0-9]{1,16}$')
  const names14 = ['petId']
  const pattern15 = new RegExp('^@[0-9]{1,12}$')
  const pattern16 = new RegExp('^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$')

  const checkListPetsQuery = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      for (const key in v) {
        if (key !== 'limit' && key !== 'status' && key !== 'cursor') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names1 })
      }
      let $limit = v.limit
      if ($limit !== undefined) {
        if (typeof $limit === 'bigint') v.limit = $limit = Number($limit)
        if (!Number.isInteger($limit)) fault(faults, 'type', { up: path, at: 'limit' }, $limit, { type: 'integer' })
        if (Number.isFinite($limit)) {
          if ($limit > 100) fault(faults, 'maximum', { up: path, at: 'limit' }, $limit, { limit: 100 })
          if ($limit < 1) fault(faults, 'minimum', { up: path, at: 'limit' }, $limit, { limit: 1 })
        }
      }
      let $status = v.status
      if ($status !== undefined) {
        if (typeof $status !== 'string') fault(faults, 'type', { up: path, at: 'status' }, $status, { type: 'string' })
        if ($status !== 'available' && $status !== 'pending' && $status !== 'sold') fault(faults, 'enum', { up: path, at: 'status' }, $status, { allowedValues: values2 })
      }
      let $cursor = v.cursor
      if ($cursor !== undefined) {
        if (typeof $cursor === 'string') {
          if ($cursor.length > 11 && codePoints($cursor) > 11) fault(faults, 'maxLength', { up: path, at: 'cursor' }, $cursor, { limit: 11 })
          else {
            if (codePoints($cursor) < 11) fault(faults, 'minLength', { up: path, at: 'cursor' }, $cursor, { limit: 11 })
            if (!pattern3.test($cursor)) fault(faults, 'pattern', { up: path, at: 'cursor' }, $cursor, { pattern: '^[A-Za-z0-9_-]{11}$' })
          }
        } else fault(faults, 'type', { up: path, at: 'cursor' }, $cursor, { type: 'string' })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const fillListPetsQuery = (v) => {
    if (v.limit === undefined) v.limit = 20
  }

  const judgeListPetsQuery = (v, parent, at, path, faults) => {
    checkListPetsQuery(v, parent, at, path, faults)
    if (faults.length === 0) fillListPetsQuery(parent[at])
  }

  const checkListPets200HeaderLink = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 200 && codePoints(v) > 200) fault(faults, 'maxLength', path, v, { limit: 200 })
      else if (!pattern4.test(v)) fault(faults, 'pattern', path, v, { pattern: '^<\\?[A-Za-z0-9_=&-]{1,150}>; rel="next"$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkListPets200HeaderRateLimitPolicy = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 40 && codePoints(v) > 40) fault(faults, 'maxLength', path, v, { limit: 40 })
      else if (!pattern5.test(v)) fault(faults, 'pattern', path, v, { pattern: '^"default";q=[0-9]{1,7};w=[0-9]{1,5}$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkListPets200HeaderRateLimit = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 40 && codePoints(v) > 40) fault(faults, 'maxLength', path, v, { limit: 40 })
      else if (!pattern6.test(v)) fault(faults, 'pattern', path, v, { pattern: '^"default";r=[0-9]{1,7};t=[0-9]{1,5}$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkListPets401HeaderWWWAuthenticate = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 200 && codePoints(v) > 200) fault(faults, 'maxLength', path, v, { limit: 200 })
      else if (!pattern7.test(v)) fault(faults, 'pattern', path, v, { pattern: '^Bearer realm="[a-z-]{1,50}"(, error="invalid_token")?$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkListPets429HeaderRetryAfter = (v, parent, at, path, faults) => {
    if (typeof v === 'bigint') parent[at] = v = Number(v)
    if (!Number.isInteger(v)) fault(faults, 'type', path, v, { type: 'integer' })
    if (Number.isFinite(v)) {
      if (v > 86400) fault(faults, 'maximum', path, v, { limit: 86400 })
      if (v < 1) fault(faults, 'minimum', path, v, { limit: 1 })
    }
  }

  const rowPet = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'id' && key !== 'name' && key !== 'categoryId' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $id = v.id
    if ($id === undefined) throw broken(path, 'required', { missingProperty: 'id' })
    const $idNumber = jsonInteger($id, 1, 9007199254740991)
    if ($idNumber === undefined) throw broken({ up: path, at: 'id' }, 'int64', { minimum: 1, maximum: 9007199254740991 }, $id)
    const $name = v.name
    if ($name === undefined) throw broken(path, 'required', { missingProperty: 'name' })
    if (typeof $name !== 'string') throw broken({ up: path, at: 'name' }, 'type', { type: 'string' }, $name)
    if ($name.length > 255 && codePoints($name) > 255) throw broken({ up: path, at: 'name' }, 'maxLength', { limit: 255 })
    if ($name.length < 1) throw broken({ up: path, at: 'name' }, 'minLength', { limit: 1 })
    if (!pattern8.test($name)) throw broken({ up: path, at: 'name' }, 'pattern', { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$' })
    const $categoryId = v.categoryId
    if ($categoryId === undefined) throw broken(path, 'required', { missingProperty: 'categoryId' })
    const $categoryIdNumber = jsonInteger($categoryId, -Infinity, Infinity)
    if ($categoryIdNumber === undefined) throw broken({ up: path, at: 'categoryId' }, 'int64', {}, $categoryId)
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (typeof $status !== 'string') throw broken({ up: path, at: 'status' }, 'type', { type: 'string' }, $status)
    if ($status !== 'available' && $status !== 'pending' && $status !== 'sold') throw broken({ up: path, at: 'status' }, 'enum', { allowedValues: values2 })
    return { id: $idNumber, name: $name, categoryId: $categoryIdNumber, status: $status }
  }

  const writePets = (v, path) => {
    if (!Array.isArray(v)) throw broken(path, 'type', { type: 'array' }, v)
    if (v.length > 100) throw broken(path, 'maxItems', { limit: 100 })
    const rows = []
    for (let i = 0; i < v.length; i++) rows.push(rowPet(v[i], { up: path, at: i }))
    return JSON.stringify(rows)
  }

  const writeError400 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 400) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 400 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError401 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 401) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 401 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError429 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 429) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 429 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError500 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 500) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 500 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError503 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 503) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 503 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const checkCreatePetQuery = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      for (const key in v) {
        if (true) fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names10 })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const checkCreatePetHeaders = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      let $0 = v['Idempotency-Key']
      if ($0 !== undefined) {
        if (typeof $0 === 'string') {
          if ($0.length > 255 && codePoints($0) > 255) fault(faults, 'maxLength', { up: path, at: 'Idempotency-Key' }, $0, { limit: 255 })
          else {
            if ($0.length < 1) fault(faults, 'minLength', { up: path, at: 'Idempotency-Key' }, $0, { limit: 1 })
            if (!pattern11.test($0)) fault(faults, 'pattern', { up: path, at: 'Idempotency-Key' }, $0, { pattern: '^[\\x21-\\x7e]{1,255}$' })
          }
        } else fault(faults, 'type', { up: path, at: 'Idempotency-Key' }, $0, { type: 'string' })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const checkNewPet = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      if (v.name === undefined) fault(faults, 'required', path, v, { missingProperty: 'name' })
      if (v.categoryId === undefined) fault(faults, 'required', path, v, { missingProperty: 'categoryId' })
      for (const key in v) {
        if (key !== 'name' && key !== 'categoryId' && key !== 'status') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names12 })
      }
      let $name = v.name
      if ($name !== undefined) {
        if (typeof $name === 'string') {
          if ($name.length > 255 && codePoints($name) > 255) fault(faults, 'maxLength', { up: path, at: 'name' }, $name, { limit: 255 })
          else {
            if ($name.length < 1) fault(faults, 'minLength', { up: path, at: 'name' }, $name, { limit: 1 })
            if (!pattern8.test($name)) fault(faults, 'pattern', { up: path, at: 'name' }, $name, { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$' })
          }
        } else fault(faults, 'type', { up: path, at: 'name' }, $name, { type: 'string' })
      }
      let $categoryId = v.categoryId
      if ($categoryId !== undefined) {
        const exact = int64($categoryId)
        if (exact === undefined) fault(faults, 'int64', { up: path, at: 'categoryId' }, $categoryId, {})
        else v.categoryId = $categoryId = exact
      }
      let $status = v.status
      if ($status !== undefined) {
        if (typeof $status !== 'string') fault(faults, 'type', { up: path, at: 'status' }, $status, { type: 'string' })
        if ($status !== 'available' && $status !== 'pending' && $status !== 'sold') fault(faults, 'enum', { up: path, at: 'status' }, $status, { allowedValues: values2 })
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const fillNewPet = (v) => {
    if (v.status === undefined) v.status = 'available'
  }

  const judgeNewPet = (v, parent, at, path, faults) => {
    checkNewPet(v, parent, at, path, faults)
    if (faults.length === 0) fillNewPet(parent[at])
  }

  const checkCreatePet201HeaderLocation = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 30 && codePoints(v) > 30) fault(faults, 'maxLength', path, v, { limit: 30 })
      else if (!pattern13.test(v)) fault(faults, 'pattern', path, v, { pattern: '^pets/[0-9]{1,16}$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const writePet = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'id' && key !== 'name' && key !== 'categoryId' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $id = v.id
    if ($id === undefined) throw broken(path, 'required', { missingProperty: 'id' })
    const $idDigits = digits($id, 1, 9007199254740991)
    if ($idDigits === undefined) throw broken({ up: path, at: 'id' }, 'int64', { minimum: 1, maximum: 9007199254740991 }, $id)
    const $name = v.name
    if ($name === undefined) throw broken(path, 'required', { missingProperty: 'name' })
    if (typeof $name !== 'string') throw broken({ up: path, at: 'name' }, 'type', { type: 'string' }, $name)
    if ($name.length > 255 && codePoints($name) > 255) throw broken({ up: path, at: 'name' }, 'maxLength', { limit: 255 })
    if ($name.length < 1) throw broken({ up: path, at: 'name' }, 'minLength', { limit: 1 })
    if (!pattern8.test($name)) throw broken({ up: path, at: 'name' }, 'pattern', { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]{1,255}$' })
    const $categoryId = v.categoryId
    if ($categoryId === undefined) throw broken(path, 'required', { missingProperty: 'categoryId' })
    const $categoryIdDigits = digits($categoryId, -Infinity, Infinity)
    if ($categoryIdDigits === undefined) throw broken({ up: path, at: 'categoryId' }, 'int64', {}, $categoryId)
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (typeof $status !== 'string') throw broken({ up: path, at: 'status' }, 'type', { type: 'string' }, $status)
    if ($status !== 'available' && $status !== 'pending' && $status !== 'sold') throw broken({ up: path, at: 'status' }, 'enum', { allowedValues: values2 })
    return '{"id":' + $idDigits + ',"name":' + JSON.stringify($name) + ',"categoryId":' + $categoryIdDigits + ',"status":"' + $status + '"}'
  }

  const writeError409 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 409) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 409 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError413 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 413) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 413 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError415 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 415) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 415 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError422 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 422) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 422 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const checkGetPetParams = (v, parent, at, path, faults) => {
    if (isObject(v)) {
      if (v.petId === undefined) fault(faults, 'required', path, v, { missingProperty: 'petId' })
      for (const key in v) {
        if (key !== 'petId') fault(faults, 'additionalProperties', path, v, { additionalProperty: key, known: names14 })
      }
      let $petId = v.petId
      if ($petId !== undefined) {
        const exact = int64($petId)
        if (exact === undefined) fault(faults, 'int64', { up: path, at: 'petId' }, $petId, {})
        else v.petId = $petId = exact
      }
    } else fault(faults, 'type', path, v, { type: 'object' })
  }

  const checkGetPet200HeaderDeprecation = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 20 && codePoints(v) > 20) fault(faults, 'maxLength', path, v, { limit: 20 })
      else if (!pattern15.test(v)) fault(faults, 'pattern', path, v, { pattern: '^@[0-9]{1,12}$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkGetPet200HeaderSunset = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 29 && codePoints(v) > 29) fault(faults, 'maxLength', path, v, { limit: 29 })
      else if (!pattern16.test(v)) fault(faults, 'pattern', path, v, { pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$' })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const checkGetPet200HeaderLink = (v, parent, at, path, faults) => {
    if (typeof v === 'string') {
      if (v.length > 500 && codePoints(v) > 500) fault(faults, 'maxLength', path, v, { limit: 500 })
    } else fault(faults, 'type', path, v, { type: 'string' })
  }

  const writeError404 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 404) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 404 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError410 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 410) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 410 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  const writeError501 = (v, path) => {
    if (!isObject(v)) throw broken(path, 'type', { type: 'object' }, v)
    for (const key in v) {
      if (key !== 'code' && key !== 'message' && key !== 'status' && v[key] !== undefined) throw broken(path, 'additionalProperties', { additionalProperty: key })
    }
    const $code = v.code
    if ($code === undefined) throw broken(path, 'required', { missingProperty: 'code' })
    if (typeof $code !== 'string') throw broken({ up: path, at: 'code' }, 'type', { type: 'string' }, $code)
    if ($code.length > 64 && codePoints($code) > 64) throw broken({ up: path, at: 'code' }, 'maxLength', { limit: 64 })
    if ($code.length < 1) throw broken({ up: path, at: 'code' }, 'minLength', { limit: 1 })
    if (!pattern9.test($code)) throw broken({ up: path, at: 'code' }, 'pattern', { pattern: '^[a-z][a-z0-9_]{0,63}$' })
    const $message = v.message
    if ($message === undefined) throw broken(path, 'required', { missingProperty: 'message' })
    if (typeof $message !== 'string') throw broken({ up: path, at: 'message' }, 'type', { type: 'string' }, $message)
    if ($message.length > 2000 && codePoints($message) > 2000) throw broken({ up: path, at: 'message' }, 'maxLength', { limit: 2000 })
    if ($message.length < 1) throw broken({ up: path, at: 'message' }, 'minLength', { limit: 1 })
    const $status = v.status
    if ($status === undefined) throw broken(path, 'required', { missingProperty: 'status' })
    if (!Number.isInteger($status)) throw broken({ up: path, at: 'status' }, 'type', { type: 'integer' }, $status)
    if ($status !== 501) throw broken({ up: path, at: 'status' }, 'const', { allowedValue: 501 })
    if ($status > 599) throw broken({ up: path, at: 'status' }, 'maximum', { limit: 599 })
    if ($status < 400) throw broken({ up: path, at: 'status' }, 'minimum', { limit: 400 })
    return '{"code":' + JSON.stringify($code) + ',"message":' + JSON.stringify($message) + ',"status":' + $status + '}'
  }

  return {
    listPets: {
      query: judgeListPetsQuery,
      responseHeaders: { 200: { Link: checkListPets200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 400: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 401: { ['WWW-Authenticate']: checkListPets401HeaderWWWAuthenticate }, 429: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 500: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 503: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit } },
      responses: { 200: writePets, 400: writeError400, 401: writeError401, 429: writeError429, 500: writeError500, 503: writeError503 }
    },
    createPet: {
      query: checkCreatePetQuery,
      headers: checkCreatePetHeaders,
      body: judgeNewPet,
      responseHeaders: { 201: { Location: checkCreatePet201HeaderLocation, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 400: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 401: { ['WWW-Authenticate']: checkListPets401HeaderWWWAuthenticate }, 409: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 413: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 415: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 422: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 429: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 500: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 503: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit } },
      responses: { 201: writePet, 400: writeError400, 401: writeError401, 409: writeError409, 413: writeError413, 415: writeError415, 422: writeError422, 429: writeError429, 500: writeError500, 503: writeError503 }
    },
    getPet: {
      params: checkGetPetParams,
      query: checkCreatePetQuery,
      responseHeaders: { 200: { Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 400: { Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 401: { ['WWW-Authenticate']: checkListPets401HeaderWWWAuthenticate, Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink }, 404: { Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 410: { Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 429: { ['Retry-After']: checkListPets429HeaderRetryAfter, Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 500: { Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 503: { ['Retry-After']: checkListPets429HeaderRetryAfter, Deprecation: checkGetPet200HeaderDeprecation, Sunset: checkGetPet200HeaderSunset, Link: checkGetPet200HeaderLink, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit } },
      responses: { 200: writePet, 400: writeError400, 401: writeError401, 404: writeError404, 410: writeError410, 429: writeError429, 500: writeError500, 503: writeError503 }
    },
    listOrders: {
      query: checkCreatePetQuery,
      responseHeaders: { 401: { ['WWW-Authenticate']: checkListPets401HeaderWWWAuthenticate }, 429: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 500: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 501: { ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit }, 503: { ['Retry-After']: checkListPets429HeaderRetryAfter, ['RateLimit-Policy']: checkListPets200HeaderRateLimitPolicy, RateLimit: checkListPets200HeaderRateLimit } },
      responses: { 401: writeError401, 429: writeError429, 500: writeError500, 501: writeError501, 503: writeError503 }
    }
  }
})
