/** Thrown for bytes that are not JSON, or that go beyond the limits. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';

  /** @param offset characters before the error's position */
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}
