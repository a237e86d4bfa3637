import { Floors } from '../model/floors.js';
import type { List, Write } from '../model/records.js';
import type { Traffic } from '../traffic/context.js';
import type { RunningLife } from '../traffic/watcher.js';
import { checkDurable, checkFinalState } from '../validators/durable.js';
import { checkHistory } from '../validators/history.js';
import { checkKey } from '../validators/linearizable.js';
import { checkList, checkRebuilt } from '../validators/list-watch.js';
import { checkStored, type Made } from '../validators/served.js';
import type { Violation } from '../validators/violation.js';
import { checkWatch } from '../validators/watch.js';
import type { Delay } from './control-series.js';
import { emptyings, type KindRecord } from './records.js';

/** V1 to V4 of one custom kind, and that nothing of it is stored that no definition has. */
export function judgeKind(
  record: KindRecord,
  traffic: Traffic,
  lives: readonly RunningLife[],
  final: List | undefined,
  delay: Delay,
): Violation[] {
  const { history, objects, states, kind } = record;
  const isOwn = (one: { readonly kind: string }) => one.kind === kind.name;
  const writes = traffic.writes.filter(isOwn);
  const lists = [...traffic.lists.filter(isOwn), ...(final ? [final] : [])];
  return [
    ...checkHistory(history),
    ...checkDurable(history, writes),
    ...checkFinalState(history, objects),
    ...checkStored(history, fromTheirStart(record, writes), states, delay),
    ...checkKeys(record, traffic),
    ...lists.flatMap((list) => checkList(list, history)),
    // Nothing is dropped from history meanwhile.
    ...lives.flatMap((life) => checkWatch(life, history, new Floors())),
    ...lives.filter(({ lasted }) => lasted).flatMap((life) => rebuilt(life, final)),
  ];
}

/** A request finishes on what was served when it began. */
function fromTheirStart({ made, history }: KindRecord, writes: readonly Write[]): Made[] {
  const starts = new Map(writes.map(({ stamp, start }) => [stamp, start]));
  return made.map((one) => ({ ...one, at: starts.get(history.at(one.version)?.state.stamp ?? '') ?? one.at }));
}

function rebuilt(life: RunningLife, final: List | undefined): Violation[] {
  if (!final) return [{ rule: 'V4.final', message: `${life.kind}: no list could be had in the end` }];
  return checkRebuilt(life, life.list?.items ?? [], final.items);
}

function checkKeys(record: KindRecord, traffic: Traffic): Violation[] {
  const { history, kind } = record;
  const own = <T extends { readonly kind: string }>(all: readonly T[]) => all.filter((one) => one.kind === kind.name);
  const writes = [...own(traffic.writes), ...emptyings(record)];
  const reads = own(traffic.reads);
  const sightings = traffic
    .events(kind.name)
    .all()
    .map(({ version, print, firstSeen }) => ({ key: print.slice(0, print.indexOf(' ')), version, at: firstSeen }));
  const keys = new Set([...history.keys(), ...writes.map(({ key }) => key), ...reads.map(({ key }) => key)]);
  const ofKey =
    (key: string) =>
    <T extends { readonly key: string }>(all: readonly T[]) =>
      all.filter((one) => one.key === key);
  return [...keys].flatMap((key) => {
    const pick = ofKey(key);
    return checkKey(history, key, pick(writes), pick(reads), pick(sightings));
  });
}
