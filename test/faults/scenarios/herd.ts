import { setTimeout as pause } from 'node:timers/promises';
import { Crowd, type Member } from '../stage/crowd.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const INITIAL = `${PATH}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=3600`;
const OBJECTS = 500;
const SYNCED_MS = 15_000;
/** Before the fault, where nothing is promised. */
const PREPARED_MS = 60_000;
/** Longest that an answer may take, ms: a refusal is an answer, a hang is none. */
const ANSWER_MS = 10_000;

export const herd = staged(
  {
    name: 'herd',
    fault: 'all gateways are killed; 1,000 clients come back at once and want the whole state',
    pass: 'at most one snapshot of a type for each gateway; all synced within 15 s; in between 429 with Retry-After or what the load balancer says, never a hang',
  },
  {},
  async (stage, settings) => {
    const crowd = new Crowd(stage);
    for (let i = 0; i < OBJECTS; i++) await stage.api().post(PATH, { metadata: { name: `object-${i}` } });
    const clients = scaled(settings, 1_000, 100);
    const members = await crowd.gather(clients, INITIAL);
    await stage.recovers('all are synced at first', PREPARED_MS, () => members.every(({ synced }) => synced));
    for (const gateway of stage.cluster.gateways) await gateway.kill('SIGKILL');
    await stage.recovers('all streams have broken', 15_000, () => members.every(({ ended }) => ended));
    const starting = Promise.all(stage.cluster.gateways.map((gateway) => gateway.start()));
    let back: (Member | undefined)[] | undefined;
    const returning = Promise.all(members.map(() => comeBack(stage, crowd))).then((all) => {
      back = all;
    });
    const isSynced = () => back?.every((member) => member?.synced) ?? false;
    await stage.recovers('all are synced again', SYNCED_MS, isSynced);
    await Promise.all([starting, returning]);
    const taken = await snapshots(stage);
    stage.measure('snapshots taken', taken);
    const most = stage.cluster.gateways.length;
    stage.must('R.answer', taken <= most, `${taken} snapshots of one type by ${most} gateways`);
    for (const member of back ?? []) {
      const all = member !== undefined && new Set(member.versions).size >= OBJECTS;
      stage.must('V2.initial', all, `a client has ${member?.versions.length} of ${OBJECTS} objects`);
      member?.close();
    }
    crowd.close();
  },
);

/** Retries as clients do, until a watch begins. */
async function comeBack(stage: Stage, crowd: Crowd): Promise<Member | undefined> {
  const deadline = performance.now() + 2 * SYNCED_MS;
  while (performance.now() < deadline) {
    const start = performance.now();
    const member = await crowd.join(INITIAL).catch(() => undefined);
    const took = performance.now() - start;
    stage.measure('ms until any answer', took);
    stage.must('R.latency', took <= ANSWER_MS, `no answer for ${took.toFixed(0)} ms`);
    if (member?.status === 200) return member;
    if (member !== undefined) {
      stage.must('R.answer', [429, 502, 503, 504].includes(member.status), `answered with ${member.status}`);
      if (member.status === 429) stage.must('R.answer', Number(member.retryAfter) > 0, '429 without Retry-After');
      member.close();
    }
    await pause(stage.random.between(100, 400));
  }
  stage.report('R.recovery', 'a client found no gateway');
  return undefined;
}

/** How often gateways have read the objects of the type as a whole since they began. */
async function snapshots(stage: Stage): Promise<number> {
  let taken = 0;
  for (const url of stage.cluster.gatewayUrls)
    taken += (await scrape(stage, url)).sum('orch_watch_cache_snapshots_total', 'resource="configmaps"');
  return taken;
}
