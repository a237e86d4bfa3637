import type { List } from '../model/records.js';
import type { Violation } from './violation.js';

/**
 * V6: a client that asks for nothing older than what it has, whichever server answers, never sees a version go back;
 * nor does one that asks one server for anything (`resourceVersion=0`).
 * @param lists of one client, one after another
 */
export function checkMonotonic(lists: readonly List[]): Violation[] {
  const violations: Violation[] = [];
  const highest = new Map<string, number>();
  const items = new Map<string, number>();
  for (const { kind, client, server, asked, version, items: found } of lists) {
    // Answers to "anything" are in order only among those of one server.
    const line = asked === 'any' ? `${kind} any ${server}` : kind;
    const report = (message: string) =>
      violations.push({ rule: 'V6.back', message: `${client} at ${server}, ${kind}: ${message}` });
    const before = highest.get(line) ?? 0;
    if (version < before) report(`version ${version} after ${before}`);
    highest.set(line, Math.max(before, version));
    for (const item of found) {
      const key = `${line} ${item.print.slice(0, item.print.indexOf(' '))}`;
      const seen = items.get(key) ?? 0;
      if (item.version < seen) report(`${key} is back at ${item.version} after ${seen}`);
      items.set(key, Math.max(seen, item.version));
    }
  }
  return violations;
}
