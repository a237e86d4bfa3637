import type { History } from './model/history.js';
import { KINDS, type Kind } from './model/object-state.js';
import type { List } from './model/records.js';
import type { Traffic } from './traffic/context.js';
import type { RunningLife, Watcher } from './traffic/watcher.js';

/** Origin of 429 answers to watches during an orderly shutdown, after which clients continue at another server. */
export const BY_ONE_THAT_GOES = 'by a server on its way out';

/** How much a run did, for its report. */
export function count(
  traffic: Traffic,
  watchers: readonly Watcher[],
  sequences: readonly (readonly List[])[],
  histories: Readonly<Record<Kind, History>>,
): Record<string, number> {
  const outcomes = (at: string) => traffic.writes.filter(({ outcome }) => outcome.at === at).length;
  const lives = watchers.flatMap((watcher): readonly RunningLife[] => watcher.lives);
  const entries = lives.flatMap((life) => life.entries.filter((entry) => entry < 0).length);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return {
    'writes acknowledged': outcomes('committed') + outcomes('deleted'),
    'writes refused': outcomes('refused'),
    'writes of unknown outcome': outcomes('unknown'),
    'changes committed': sum(KINDS.map((kind) => histories[kind].changes.length)),
    'reads of objects': traffic.reads.length,
    lists: traffic.lists.length + sum(sequences.map((sequence) => sequence.length)),
    'watch requests': sum(watchers.map((watcher) => watcher.requests)),
    'watcher starts': lives.length,
    'events received': sum(lives.map((life) => life.entries.length)) - sum(entries),
    'bookmarks received': sum(entries),
    ...refusalsByCode(lives),
  };
}

function refusalsByCode(lives: readonly RunningLife[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, message } of lives.flatMap((life) => life.refusals)) {
    const by = code === 429 && message.includes('shutting down') ? ` ${BY_ONE_THAT_GOES}` : '';
    const name = `watches answered with ${code}${by}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
