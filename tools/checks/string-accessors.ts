import type { Measured } from './sources.js';

/** Reads of members by strings, which no compiler checks: calls of the accessors of libs/kinds/src/values/fields.ts. */
const READ = /(?<![.\w])(?:at|(?:text|number|object|objects|strings|map)At)\(/g;
const ROOM = 'libs/kinds/src/';
/** The file of the accessors. */
const HOME = `${ROOM}values/fields.ts`;
const IMPORTED = /import \{[^}]*\} from '[./]*\/values\/fields\.js'|from '\.\/fields\.js'/;

/**
 * Reads of members by strings in the rules of kinds: how many in each file. Objects of a declared kind have a generated
 * type (`KindDeclaration<Deployment>`); strings are for what has none, such as schemas and objects of custom kinds.
 */
export function stringAccessors(sources: ReadonlyMap<string, string>): Measured {
  const found = new Map<string, number>();
  for (const [path, text] of sources) {
    if (!path.startsWith(ROOM) || path === HOME || !IMPORTED.test(text)) continue;
    const reads = [...text.matchAll(READ)].length;
    if (reads > 0) found.set(path, reads);
  }
  return found;
}
