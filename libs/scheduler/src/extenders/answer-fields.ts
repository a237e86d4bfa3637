/**
 * Returns a field of an answer. Names are compared without regard to case: extenders write them either as the types of
 * the protocol are named, `NodeNames`, or as JSON usually has them.
 */
export function answerField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(fields, name)) return fields[name];
  const lower = name.toLowerCase();
  const key = Object.keys(fields).find((each) => each.toLowerCase() === lower);
  return key === undefined ? undefined : fields[key];
}

/** Returns a field that is a string; empty for others. */
export function answerText(value: unknown, name: string): string {
  const field = answerField(value, name);
  return typeof field === 'string' ? field : '';
}

/** Returns a field that is a number; 0 for others. */
export function answerNumber(value: unknown, name: string): number {
  const field = Number(answerField(value, name) ?? 0);
  return Number.isFinite(field) ? Math.trunc(field) : 0;
}

/** Returns a field that is a list; undefined for others. */
export function answerList(value: unknown, name: string): readonly unknown[] | undefined {
  const field = answerField(value, name);
  return Array.isArray(field) ? field : undefined;
}

/** Returns the entries of a field that is a map; none for others. */
export function answerEntries(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const field = answerField(value, name);
  return typeof field === 'object' && field !== null ? Object.entries(field) : [];
}
