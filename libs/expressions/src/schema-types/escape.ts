/** Reserved words of the language, which no field can have as its name. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: readonly (readonly [string, string])[] = [
  ['__', 'underscores'],
  ['.', 'dot'],
  ['-', 'dash'],
  ['/', 'slash'],
];
const BY_TEXT = new Map(ESCAPES.map(([text, name]) => [text, `__${name}__`]));
const BY_NAME = new Map(ESCAPES.map(([text, name]) => [name, text]));

/** Whether a text is an identifier. */
export const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !RESERVED.has(text);

/** Returns the name of a field in expressions; undefined if it cannot be named. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (text) => BY_TEXT.get(text) as string);
}

/** Returns the field with a name in expressions; undefined if the name is no field's. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let known = true;
  const name = escaped.replaceAll(/__([^_]+)__/g, (found, word: string) => {
    const text = BY_NAME.get(word);
    if (text !== undefined) return text;
    if (!RESERVED.has(word) || found.length !== escaped.length) known = false;
    return word;
  });
  return known ? name : undefined;
}
