/**
 * What single requests cost in several built trees of this repository, by turns of some 40 ms within the same minutes: the columns
 * of `make bench` are measured one after another, and the machine, and how much V8 has compiled, change meanwhile.
 *
 *   npx tsx test/load/turns.ts [--trees=../old,.] [--starts=4] [--requests=1500] [--workload=simple|ruled]
 *
 * Each start is a standalone server of each tree with a new database, over TLS; every second one begins with the last tree. Requests
 * are those of a lone requester; 64 make four times as many. Objects are ConfigMaps of 1 KiB, or the custom resources of `--only=custom`. CPU is that of all processes of a server, the database included.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { Connection, type Endpoint } from './connection.js';
import { defineKind, ruledKind, simpleKind } from './custom-kinds.js';
import { againstReference, table } from './report.js';
import { requestOf } from './request-load.js';
import { benchResource, inNamespace, type Resource } from './resource.js';
import { latencyOf, median, now } from './summary.js';
import { addressOf } from './target.js';
import { ServerProcesses } from './usage.js';

const { values: flags } = parseArgs({
  options: {
    trees: { type: 'string', default: '../old,.' },
    starts: { type: 'string', default: '4' },
    requests: { type: 'string', default: '1500' },
    workload: { type: 'string' },
  },
});
const trees = flags.trees.split(',');

const workload = flags.workload as 'simple' | 'ruled' | undefined;
type Verb = 'create' | 'update' | 'get' | 'apply-same' | 'apply-field';
interface Step {
  readonly verb: Verb;
  readonly requesters: number;
  /** Share of a lone requester's requests. */
  readonly share: number;
}

const VERBS: readonly Verb[] = workload
  ? ['create', 'update', 'apply-same', 'apply-field']
  : ['create', 'update', 'get'];
/** Steps that let the server compile its code; they are not reported. */
const WARM_UP: readonly Step[] = VERBS.map((verb) => ({ verb, requesters: 16, share: verb === 'create' ? 4 : 2 }));
const STEPS: readonly Step[] = VERBS.flatMap((verb) => [
  { verb, requesters: 1, share: 1 },
  { verb, requesters: 64, share: 4 },
]);
/** Requests of each requester in one turn. */
const TURN = { lone: 40, many: 8 } as const;
const OBJECTS = 64;

/** The server of one tree, with connections that stay open. */
class Subject {
  readonly processes = new ServerProcesses(() => [this.server.process.pid]);
  readonly #connections: Connection[] = [];
  readonly #versions: string[] = [];
  latencies: number[] = [];
  #created = 0;
  #sent = 0;

  constructor(
    readonly tree: string,
    readonly server: Standalone,
    private readonly endpoint: Endpoint,
    private readonly resource: Resource,
  ) {}

  static async start(tree: string): Promise<Subject> {
    const server = await startStandalone({ executable: resolve(tree, 'services/orch/bin/orch.js') });
    const endpoint: Endpoint = { ...addressOf(server.url), tls: { ca: server.ca }, token: server.token };
    const kind = workload && (workload === 'ruled' ? ruledKind() : simpleKind());
    const resource = await inNamespace(
      endpoint,
      kind ? await defineKind(endpoint, kind) : await benchResource(endpoint),
      'turns',
    );
    const subject = new Subject(tree, server, endpoint, resource);
    for (let object = 0; object < OBJECTS; object++) subject.#connections.push(await Connection.open(endpoint));
    for (let object = 0; object < OBJECTS; object++) {
      await subject.#send('create', 'u', object);
      if (workload) await subject.#send('apply-same', 'a', object);
    }
    return subject;
  }

  async turn({ verb, requesters }: Step): Promise<void> {
    const times = requesters === 1 ? TURN.lone : TURN.many;
    const loop = async (requester: number) => {
      for (let time = 0; time < times; time++) {
        const object = (requester + time * requesters) % OBJECTS;
        const began = now();
        const prefix = verb === 'create' ? 'c' : verb.startsWith('apply') ? 'a' : 'u';
        await this.#send(verb, prefix, verb === 'create' ? this.#created++ : object, requester);
        this.latencies.push(now() - began);
      }
    };
    await Promise.all(Array.from({ length: requesters }, (_, requester) => loop(requester)));
  }

  async #send(verb: Verb, prefix: string, object: number, requester = 0): Promise<void> {
    const { endpoint, resource } = this;
    const load = { endpoint, resource, verb, prefix, objects: OBJECTS, requesters: 1, seconds: 0 };
    const version = verb === 'update' ? this.#versions[object] : undefined;
    const request = requestOf({ ...load, ...(workload && { workload }) }, object, version, this.#sent++);
    const answer = await this.#connections[requester]?.request(request, true);
    if (!answer || answer.status >= 300) throw new Error(`${verb} ${object}: ${answer?.status} ${answer?.body}`);
    if (prefix === 'u') this.#versions[object] = /"resourceVersion":"(\d+)"/.exec(answer.body.toString())?.[1] ?? '';
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    await this.server.stop();
  }
}

/** Microseconds of CPU and milliseconds of the median request in each tree, in the order of the subjects. */
async function measure(subjects: readonly Subject[], step: Step): Promise<{ cpu: number; p50: number }[]> {
  const each = step.requesters * (step.requesters === 1 ? TURN.lone : TURN.many);
  const turns = Math.ceil((Number(flags.requests) * step.share) / each);
  const before = subjects.map(({ processes }) => processes.cpuMicroseconds());
  for (const subject of subjects) subject.latencies = [];
  for (let turn = 0; turn < turns; turn++) {
    for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed()) await subject.turn(step);
  }
  return subjects.map(({ processes, latencies }, i) => ({
    cpu: (processes.cpuMicroseconds() - (before[i] ?? 0)) / (turns * each),
    p50: latencyOf(latencies).p50,
  }));
}

/** Values of each start, by tree and name of the measurement. */
const found = new Map(trees.map((tree) => [tree, new Map<string, number[]>()]));

function note(tree: string, name: string, value: number): void {
  const values = found.get(tree)?.get(name) ?? [];
  found.get(tree)?.set(name, [...values, value]);
}

for (let start = 0; start < Number(flags.starts); start++) {
  const subjects: Subject[] = [];
  try {
    for (const tree of start % 2 === 0 ? trees : trees.toReversed()) subjects.push(await Subject.start(tree));
    for (const step of WARM_UP) await measure(subjects, step);
    for (const step of STEPS) {
      const results = await measure(subjects, step);
      const title = `${step.verb}, ${step.requesters} requesters`;
      subjects.forEach(({ tree }, i) => {
        note(tree, `${title}: server CPU|µs each`, results[i]?.cpu ?? Number.NaN);
        note(tree, `${title}: p50|ms`, results[i]?.p50 ?? Number.NaN);
      });
    }
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}

const columns = new Map(
  [...found].map(([tree, values]) => {
    const rows = [...values].map(([key, each]) => {
      const [name = '', unit = ''] = key.split('|');
      return { name, unit, value: median(each) };
    });
    return [tree, rows];
  }),
);
process.stdout.write(`Medians of ${flags.starts} starts\n\n${table(columns, againstReference(columns, trees[0]))}\n`);
const [first = '', ...others] = trees;
for (const tree of others) {
  for (const [key, values] of found.get(tree) ?? []) {
    const base = found.get(first)?.get(key) ?? [];
    const ratios = values.map((value, i) => (value / (base[i] ?? Number.NaN)).toFixed(2));
    if (key.endsWith('µs each'))
      process.stdout.write(`${key.split('|')[0]}, ${tree} : ${first}, each start: ${ratios}\n`);
  }
}
