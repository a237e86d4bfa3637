/** An object of JSON or YAML. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object, but neither null nor an array. */
export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
