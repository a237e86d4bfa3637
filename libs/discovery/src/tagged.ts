import { createHash } from 'node:crypto';

/** Media type of JSON. */
export const JSON_TYPE = 'application/json';

/** An encoded document with its media type and tag. */
export interface Tagged {
  /** The encoded document. */
  readonly bytes: Buffer;
  /** Value of the header `Content-Type`. */
  readonly type: string;
  /** Its `ETag`, of documents that clients keep. */
  readonly tag: string;
}

/** Bytes with the tag that their content gives them. */
export const tagged = (bytes: Buffer, type: string): Tagged => ({
  bytes,
  type,
  tag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"`,
});

/** Makes a value on first use, once. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
