/** An object of JSON or YAML. */
export type Entry = Readonly<Record<string, unknown>>;

/** Whether a value is an object, but neither null nor an array. */
export const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
