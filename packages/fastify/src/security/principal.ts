/** Whom a credential identifies. Services may add fields: `declare module '@contract-first/fastify' { interface Principal { … } }` */
export interface Principal {
  /** For logs, metrics, rate limits and idempotency keys: never the credential itself. */
  readonly id: string
  /** The scopes or roles that it has; without those that an operation demands, the response is 403. Default: none. */
  readonly scopes?: readonly string[]
}
