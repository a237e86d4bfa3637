import { invalidValue, labelValueErrors, qualifiedNameErrors } from '@orch/machinery';

/** Labels that a node must have, each with its value. */
export type SelectorMap = ReadonlyMap<string, string>;

/** Reads `a=b,c=d`. @throws Error for anything else */
export function parseSelectorMap(text: string): SelectorMap {
  const labels = new Map<string, string>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [key = '', value, ...others] = part.split('=');
    if (value === undefined || others.length > 0) throw new Error(`invalid selector: [${part.split('=').join(' ')}]`);
    labels.set(checked(key.trim(), qualifiedNameErrors), checked(value.trim(), labelValueErrors));
  }
  return labels;
}

function checked(text: string, problemsOf: (text: string) => readonly string[]): string {
  const problems = problemsOf(text);
  if (problems.length > 0) throw new Error(`<nil>: ${invalidValue('', text, problems.join('; ')).message}`);
  return text;
}

/** Whether a label has one value here and another there. */
export const conflicts = (a: SelectorMap, b: SelectorMap): boolean =>
  [...a].some(([key, value]) => b.has(key) && b.get(key) !== value);
