/**
 * What the audit log costs a request: reads of one small object through the whole chain over loopback, without a policy and at
 * levels, and the making of an event alone.
 *
 *   npx tsx --conditions=source libs/serving/bench/audit.ts [--requests=4000] [--rounds=5] [--requesters=8]
 *
 * Rounds of all kinds take turns and the best of each counts, as the machine may have more to do. Client and server share one
 * process, so the share of the chain that is seen is smaller than it is beside clients elsewhere; microseconds are the same.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AuditBackend,
  BatchingBackend,
  BlockingBackend,
  LogSink,
  PolicyEvaluator,
  RotatingFile,
} from '@orch/audit';
import { systemClock } from '@orch/runtime';
import { listenerOf, openServer, testApi } from '@orch/testing';
import { Auditor } from '../src/auditing/auditor.js';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    requesters: { type: 'string', default: '8' },
  },
});
const [requests, rounds, requesters] = [flags.requests, flags.rounds, flags.requesters].map(Number) as [
  number,
  number,
  number,
];
const PATH = '/api/v1/namespaces/default/configmaps';

const dir = await mkdtemp(join(tmpdir(), 'bench-audit-'));
const api = await testApi();
await api.create('configmaps', { metadata: { name: 'a' }, data: { key: 'value' } });
let files = 0;
const sink = async (gatherMs = 0) =>
  new LogSink(
    await RotatingFile.open({
      path: join(dir, `audit-${++files}.log`),
      maxBytes: 100 << 20,
      maxAgeDays: 0,
      maxBackups: 1,
      compress: false,
      gatherMs,
    }),
    'json',
  );
const nobody = () => undefined;
const batched = async () =>
  new BatchingBackend(
    await sink(20),
    { bufferSize: 100_000, bufferBytes: 1 << 28, maxSize: 1, maxWaitMs: 0, concurrency: 2048 },
    nobody,
    systemClock,
  );

async function serverOf(level: string | undefined, backend?: AuditBackend) {
  const auditor =
    level === undefined || !backend
      ? undefined
      : new Auditor({
          policy: new PolicyEvaluator({ rules: [{ level }], omitStages: ['RequestReceived'] }),
          backend,
          observer: { judged: nobody, recorded: nobody, rejected: nobody },
          scheme: api.deps.scheme,
          apiVersion: 'audit.orch.io/v1',
          maxBodyBytes: 1 << 22,
        });
  return openServer(listenerOf(api, auditor ? { auditor } : {}));
}

const kinds = {
  'no policy': await serverOf(undefined),
  'level None': await serverOf('None', await batched()),
  'Metadata, batch': await serverOf('Metadata', await batched()),
  'Metadata, blocking': await serverOf(
    'Metadata',
    new BlockingBackend(await sink(), { strict: false, bufferBytes: 64 << 20 }, nobody, systemClock),
  ),
  'RequestResponse, batch': await serverOf('RequestResponse', await batched()),
};

const agent = new Agent({ keepAlive: true, maxSockets: requesters });
const get = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: `${PATH}/a`, agent }, (answer) => {
      answer.resume().once('end', resolve);
    });
    sent.once('error', reject).end();
  });

/** Microseconds of CPU that one request takes, client included. */
async function round(port: number): Promise<number> {
  const before = process.cpuUsage();
  let left = requests;
  const worker = async () => {
    while (left-- > 0) await get(port);
  };
  await Promise.all(Array.from({ length: requesters }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

const best = new Map<string, number>();
for (let number = 0; number <= rounds; number++) {
  for (const [kind, { port }] of Object.entries(kinds)) {
    const micros = await round(port);
    // The first warms up.
    if (number > 0) best.set(kind, Math.min(best.get(kind) ?? Number.POSITIVE_INFINITY, micros));
  }
}
const plain = best.get('no policy') ?? 1;
for (const [kind, micros] of best) {
  const more = micros - plain;
  console.log(
    `${kind.padEnd(24)} ${micros.toFixed(1)} µs of CPU a request, ${more.toFixed(1)} more (${((100 * more) / plain).toFixed(1)} %)`,
  );
}
agent.destroy();
for (const { close } of Object.values(kinds)) await close();
api.close();
await rm(dir, { recursive: true, force: true });
process.exit();
