/** Memoizes a function of a text; all results are dropped when there are more than `limit`. */
export function memoised<T>(make: (text: string) => T, limit: number): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as T;
    const made = make(text);
    if (known.size >= limit) known.clear();
    known.set(text, made);
    return made;
  };
}
