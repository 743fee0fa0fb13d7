/** The packages of this repository, each after those that it needs. */
export const packages = ['document', 'formats', 'fastify', 'check', 'generator'] as const
