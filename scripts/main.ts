/** What is started by hand is a link named after a module in commands/: src/start/start.ts. */
export const main = (name: string) => import(`./commands/${name}.ts`)
