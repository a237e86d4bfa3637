/** Id of a resource type (group + resource) in the database; assigned once, never reused. */
export type TypeId = number;

/** A resourceVersion. Drawn from one sequence; ordered by commit within one type. */
export type Version = bigint;

/** Name of an object within its type. */
export interface Key {
  /** Empty for cluster-scoped types. */
  readonly namespace: string;
  /** Never empty. */
  readonly name: string;
}

/** Bytes of namespace and name: longer ones could not be indexed. Far above any name that the API allows. */
const LONGEST_KEY = 1024;

/**
 * Whether an object can have this key. PostgreSQL's text holds no zero character, UTF-8 has no lone surrogates (they
 * would be encoded as another character, and so become another key), and an index entry has a maximum size.
 */
export function isPossibleKey({ namespace, name }: Key): boolean {
  // Most keys are short, and then no byte needs to be counted: a UTF-16 unit takes up three bytes at most.
  const units = namespace.length + name.length;
  if (name === '' || units > LONGEST_KEY) return false;
  if (3 * units > LONGEST_KEY && Buffer.byteLength(namespace) + Buffer.byteLength(name) > LONGEST_KEY) return false;
  return isPossibleText(namespace) && isPossibleText(name);
}

/** Whether the database stores exactly this text. */
export function isPossibleText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
