// biome-ignore lint/suspicious/noExplicitAny: the project is compiled without types of Swagger UI, React and the DOM
export type Untyped = any

/** What Swagger UI passes to a plugin. */
export type System = Untyped
