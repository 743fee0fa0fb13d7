/** In place of a handler that is not written yet: its operation responds with 501. */
export const unwritten = async (): Promise<never> => {
  throw new Error('the route of an unwritten operation does not call its handler')
}
