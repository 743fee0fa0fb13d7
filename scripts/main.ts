/** Entry points are links named after modules in commands/; see src/start/start.ts. */
export const main = (name: string) => import(`./commands/${name}.ts`)
