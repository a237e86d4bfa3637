import { VerbatimValue } from '@orch/machinery';

/** Values as the reference system prints them in messages, for types that are known by name and members only. */

const quoted = (text: string): string => JSON.stringify(text);

/** A list of texts, of the type that the reference system has for them: `[]core.ResourceQuotaScope{"a"}`. */
export const shownList = (type: string, items: readonly string[]): VerbatimValue =>
  new VerbatimValue(`[]${type}{${items.map(quoted).join(', ')}}`);

/** A struct by its members: texts quoted, the rest as it is. */
export function shownStruct(type: string, members: Readonly<Record<string, string | VerbatimValue>>): VerbatimValue {
  const shown = Object.entries(members).map(
    ([name, value]) => `${name}:${typeof value === 'string' ? quoted(value) : value.text}`,
  );
  return new VerbatimValue(`${type}{${shown.join(', ')}}`);
}
