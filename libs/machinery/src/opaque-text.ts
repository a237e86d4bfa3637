/** Key of a value's source text. No function that walks or writes members sees it. */
const TEXT = Symbol('text');

interface Read {
  readonly [TEXT]?: string;
}

/**
 * Records the JSON text that a value was read from, if a client's bytes must be preserved: clients compare the bytes of
 * a `RawExtension`. {@link copy} keeps it; the encoder checks that the value still equals the text. Values that are no
 * objects cannot hold a text and are returned as they are.
 */
export function withText<T>(value: T, text: string): T {
  if (typeof value === 'object' && value !== null) {
    Object.defineProperty(value, TEXT, { value: text, configurable: true });
  }
  return value;
}

/** Returns the text that a value was read from, if it was recorded. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? (value as Read)[TEXT] : undefined;
