import { add, type Measured, packageOf } from './sources.js';

/** First words of docstrings without a subject, which describe a thing as if the reader knew it. */
const WORDS = ['What', 'Who', 'Whom', 'Whose', 'One', 'Those', 'Of', 'As', 'Nobody', 'Where', 'By'];
const FIRST = new RegExp(`/\\*\\*\\s+(?:\\*\\s+)?(?:${WORDS.join('|')})\\b`, 'g');

/** Counts docstrings that begin with such a word, by package. */
export function wordsWithoutSubject(sources: ReadonlyMap<string, string>): Measured {
  const found = new Map<string, number>();
  for (const [path, text] of sources) for (const _ of text.matchAll(FIRST)) add(found, packageOf(path));
  return found;
}
