import type { Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { closedWith } from '../watch.ts'

/** A service for these path items, with a handler for each operation. */
export const serve = async (
  t: Test,
  paths: string,
  handlers: Record<string, AnyHandler>,
  version = '3.1.0',
  more = ''
) => {
  const yaml = `openapi: ${version}
info: { title: Things, version: 1.0.0 }
paths:
${paths.replace(/^(?=.)/gm, '  ')}${more}`
  const { contract, files, warnings } = await derivedContract(t, yaml)
  const app = await buildApp({ contract, store: openFixtureStore(), handlers: handlers as never })
  closedWith(t, app)
  return { app, contract, files, warnings }
}
