import { isIdentifier, isPrivateIdentifier } from 'typescript/unstable/ast';
import { add, type Measured, nodesOf, type ParsedSource, packageOf } from './sources.js';

/** Words of our own for which the field has terms: report, request, evaluate, context, outcome, reconciler. */
const WORDS: ReadonlySet<string> = new Set([
  ...['told', 'tell', 'tells', 'telling', 'teller', 'said', 'heed', 'hear', 'heard'],
  ...['affair', 'surroundings', 'fate', 'doubt', 'doubts', 'comings', 'owe', 'owes', 'keeper'],
  ...['asked', 'asker', 'judge', 'judges', 'judged', 'judging', 'judgement', 'looked', 'looker'],
]);

/** Splits an identifier into its words, in lower case: `own` and `affair` for `isOwnAffair`. */
const wordsOf = (identifier: string): string[] =>
  identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());

/** Counts the identifiers of each package that contain such a word: one that several files use counts in each. */
export function privateWords(sources: readonly ParsedSource[]): Measured {
  const found = new Map<string, number>();
  for (const { path, tree } of sources) {
    const names = new Set<string>();
    for (const node of nodesOf(tree)) if (isIdentifier(node) || isPrivateIdentifier(node)) names.add(node.text);
    for (const name of names) if (wordsOf(name).some((word) => WORDS.has(word))) add(found, packageOf(path));
  }
  return found;
}
