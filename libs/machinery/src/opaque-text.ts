/** Where a value says from which text it was read. No function that walks or writes members sees it. */
const TEXT = Symbol('text');

interface Read {
  readonly [TEXT]?: string;
}

/**
 * Notes the JSON text that a value was read from, where a client's bytes are to be kept as they came: clients compare the bytes of
 * a `RawExtension`. {@link copy} takes the note along; who writes the value checks that it still says what the text says.
 * Values that are no objects have no room for a note and are returned as they are.
 */
export function withText<T>(value: T, text: string): T {
  if (typeof value === 'object' && value !== null) {
    Object.defineProperty(value, TEXT, { value: text, configurable: true });
  }
  return value;
}

/** The text that a value was read from; undefined where nobody noted it. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? (value as Read)[TEXT] : undefined;
