/** Thrown for a document, in whatever encoding, that holds more values than are allowed. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';

  /** @param limit values that were allowed */
  constructor(readonly limit: number) {
    super(`the document holds more than ${limit} values`);
  }
}
