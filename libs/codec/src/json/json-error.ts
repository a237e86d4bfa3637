/** Thrown for bytes that are not JSON, or that go beyond the limits. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';

  /** @param offset characters before the place of the error */
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}
