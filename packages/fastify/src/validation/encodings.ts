import type {
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler
} from 'fastify'
import type { AnyMedia, AnyOperation, AnyResult, Contents, ObjectSchema, Written } from '../contract/contract.ts'
import type { Part } from '../contract/violations.ts'
import type { Judge, Reader, Validator } from './judgement.ts'

/** Loaded only for contracts with media types other than JSON, or with parameters that are not plain texts or lists of them. */
export interface Encodings {
  otherBodies: FastifyPluginAsync
  /** Reads the parameters of a part. */
  partReader(
    part: Part,
    schema: ObjectSchema,
    written: Readonly<Record<string, Written>>
  ): (received: unknown, violations: string[]) => unknown
  bodyValidator(bodies: Contents, judgeOf: (media: AnyMedia) => Judge, readJson: Reader): Validator
  /** Steps of a request before its validation. */
  stepsOf(operation: AnyOperation): {
    preParsing: preParsingHookHandler[]
    preValidation: preValidationHookHandler[]
  }
  /** What handlers of the operation get beyond, or instead of, the usual input. */
  inputsOf(operation: AnyOperation): (request: FastifyRequest) => object
  /** What is sent where a handler returns a download; `undefined` for operations that can have none. */
  rangesOf(operation: AnyOperation): ((request: FastifyRequest, result: AnyResult) => AnyResult) | undefined
  /** Sends a body of a response in one of its media types; the key is that of the response. */
  contentSender(contents: Contents, key: string, operationId: string): (reply: FastifyReply, result: AnyResult) => void
}
