/** Limits of a JSON text: nesting of lists and objects, and the number of members and items. */
interface Bounds {
  readonly depth: number;
  /** No limit if absent. */
  readonly values?: number;
}

/**
 * Whether a JSON text exceeds bounds: what an iterative parser accepts may be too deep for recursive code. Counts
 * brackets and commas outside of strings; the text need not be valid.
 */
export function isBeyond(text: string, { depth, values = Number.POSITIVE_INFINITY }: Bounds): boolean {
  let [nested, commas, quoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === '\\') i++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '[' || char === '{')) {
      if (++nested > depth) return true;
    } else if (!quoted && (char === ']' || char === '}')) nested--;
    else if (!quoted && char === ',' && ++commas >= values) return true;
  }
  return false;
}
