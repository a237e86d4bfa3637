/** Thrown internally to leave the native encoder at the first bigint. */
const isBigIntFailure = (error: unknown): boolean => error instanceof TypeError && /BigInt/.test(error.message);

/**
 * Encodes a value of JSON types and bigints; undefined members are left out.
 * @param indent spaces per level; compact without it
 */
export function stringifyJson(value: unknown, indent = 0): string {
  try {
    return indent === 0 ? JSON.stringify(value) : JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!isBigIntFailure(error)) throw error;
    return write(value, indent, '');
  }
}

function write(value: unknown, indent: number, margin: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = margin + ' '.repeat(indent);
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, indent, inner));
    return enclose('[', items, ']', indent, margin);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${write(member, indent, inner)}`);
  return enclose('{', members, '}', indent, margin);
}

function enclose(open: string, parts: readonly string[], close: string, indent: number, margin: string): string {
  if (indent === 0 || parts.length === 0) return open + parts.join(',') + close;
  const inner = margin + ' '.repeat(indent);
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}
