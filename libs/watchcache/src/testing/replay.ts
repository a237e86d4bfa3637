import type { HistoricChange, Row, Version } from '@orch/storage';
import type { Selection } from '../state/attributes.js';
import { describeRow, type TestEvent } from './fixtures.js';

/** What a watch was asked for. */
export interface WatchedBy {
  readonly namespace?: string;
  readonly selection?: Selection;
}

/** The events that a watch must bring for a history, by the definition and with no regard for speed. */
export function replay(history: readonly HistoricChange[], after: Version, by: WatchedBy): TestEvent[] {
  return history.filter(({ version }) => version > after).flatMap((change) => eventOf(change, by));
}

/** The events of an initial state. */
export function initial(rows: readonly Row[], by: WatchedBy): TestEvent[] {
  return rows
    .filter((row) => selects(row, by))
    .map(({ namespace, name, version, body }) => ({
      type: 'ADDED' as const,
      version: `${version}`,
      key: `${namespace}/${name}`,
      body: body.toString(),
    }));
}

function eventOf(change: HistoricChange, by: WatchedBy): TestEvent[] {
  const { namespace, name, version, op, body, prior } = change;
  const before = prior !== undefined && selects({ ...change, body: prior }, by);
  const after = op !== 'delete' && selects(change, by);
  if (!before && !after) return [];
  const type = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
  const shown = type === 'DELETED' && op !== 'delete' ? (prior ?? body) : body;
  return [{ type, version: `${version}`, key: `${namespace}/${name}`, body: shown.toString() }];
}

function selects(row: Row, { namespace, selection }: WatchedBy): boolean {
  if (namespace !== undefined && row.namespace !== namespace) return false;
  return selection === undefined || selection.matches(describeRow(row));
}

/**
 * Judges one stream (V2): it must be the replay from its start, with bookmarks that claim neither more than was sent
 * before them nor less than was claimed, and may be cut short only by an end or an error.
 * Returns what is wrong; empty when nothing is.
 */
export function judge(events: readonly TestEvent[], expected: readonly TestEvent[], complete: boolean): string[] {
  const wrong: string[] = [];
  let at = 0;
  let bookmark = 0n;
  for (const [index, event] of events.entries()) {
    if (event.type === 'ERROR') {
      if (index !== events.length - 1) wrong.push('something follows an error');
      return wrong;
    }
    const version = BigInt(event.version);
    if (event.type === 'BOOKMARK') {
      if (version < bookmark) wrong.push(`bookmark ${version} goes back`);
      const next = expected[at];
      // Initial state comes in key order: what is left of it lies above no bookmark.
      if (next !== undefined && BigInt(next.version) <= version)
        wrong.push(`bookmark ${version} claims ${next.version}, which was not sent`);
      bookmark = version;
      continue;
    }
    if (version <= bookmark) wrong.push(`event ${version} comes after bookmark ${bookmark}`);
    const want = expected[at++];
    if (JSON.stringify(want) !== JSON.stringify(event)) {
      wrong.push(`event ${index} is ${JSON.stringify(event)}, not ${JSON.stringify(want)}`);
      return wrong;
    }
  }
  if (complete && at < expected.length) wrong.push(`${expected.length - at} events are missing`);
  return wrong;
}
