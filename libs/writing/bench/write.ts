/**
 * CPU of the server process for one write over HTTP, beside what a bare HTTP server takes to read the same body and to answer
 * the same bytes. The requesters are another process, and the store is in memory: what is left is the chain and the pipeline.
 *
 *   npx tsx --conditions=source libs/writing/bench/write.ts [--requests=3000] [--rounds=5] [--requesters=8] [--verbs=put,patch,create,get]
 *
 * Of each the best round is told, in microseconds. The rounds of all take turns.
 */
import { fork } from 'node:child_process';
import { Agent, createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deployment } from '@orch/machinery/testing';
import { listenerOf, MemoryStore, testApi } from '@orch/testing';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '5' },
    requesters: { type: 'string', default: '8' },
    verbs: { type: 'string', default: 'put,patch,create' },
    port: { type: 'string' },
  },
});
type Verb = 'get' | 'put' | 'patch' | 'create';
const REQUESTS = Number(flags.requests);
const REQUESTERS = Number(flags.requesters);
const COLLECTION = '/apis/apps/v1/namespaces/default/deployments';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

const text = (name: string, number: number): string => JSON.stringify(deployment(name, number));

let creations = 0;
function sentBy(verb: Verb, requester: number, number: number): Sent {
  const name = `d${requester}`;
  switch (verb) {
    case 'get':
      return { method: 'GET', path: `${COLLECTION}/${name}`, type: 'application/json', body: '' };
    case 'put':
      return { method: 'PUT', path: `${COLLECTION}/${name}`, type: 'application/json', body: text(name, number) };
    case 'patch': {
      const body = JSON.stringify({ metadata: { annotations: { 'example.com/change': String(number) } } });
      return { method: 'PATCH', path: `${COLLECTION}/${name}`, type: 'application/merge-patch+json', body };
    }
    case 'create': {
      const body = text(`c-${process.pid}-${creations++}`, number);
      return { method: 'POST', path: COLLECTION, type: 'application/json', body };
    }
  }
}

/** The requesters: does what the parent says, and answers when it is done. */
function serveAsClient(): void {
  const agent = new Agent({ keepAlive: true, maxSockets: REQUESTERS });
  const one = (port: number, { method, path, type, body }: Sent) =>
    new Promise<void>((resolve, reject) => {
      const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
        if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  let number = 0;
  process.on('message', ({ port, verb, requests }: { port: number; verb: Verb; requests: number }) => {
    const each = Array.from({ length: REQUESTERS }, async (_, requester) => {
      for (let i = 0; i < requests / REQUESTERS; i++) await one(port, sentBy(verb, requester, number++));
    });
    Promise.all(each).then(
      () => process.send?.('done'),
      (error: unknown) => process.send?.(String(error)),
    );
  });
}

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

async function main(): Promise<void> {
  const api = await testApi({}, 'kubernetes', new MemoryStore());
  for (let i = 0; i < REQUESTERS; i++) await api.create('deployments', deployment(`d${i}`, 0));
  const orch = await listen(listenerOf(api));
  const answer = Buffer.from(text('floor', 0));
  const floor = await listen((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      Buffer.concat(chunks);
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer);
    });
  });
  const client = fork(fileURLToPath(import.meta.url), ['--port=0', `--requesters=${REQUESTERS}`]);
  const round = async (port: number, verb: Verb, requests: number) => {
    api.store.writes.length = 0;
    const before = process.cpuUsage();
    client.send({ port, verb, requests });
    const said = await new Promise((resolve) => client.once('message', resolve));
    if (said !== 'done') throw new Error(String(said));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / requests;
  };
  const verbs = flags.verbs.split(',') as Verb[];
  const best = new Map<string, number>();
  for (const verb of verbs) for (const { port } of [floor, orch]) await round(port, verb, REQUESTS / 2);
  for (let i = 0; i < Number(flags.rounds); i++) {
    for (const verb of verbs) {
      for (const [name, { port }] of [
        ['floor', floor],
        ['orch', orch],
      ] as const) {
        const cost = await round(port, verb, REQUESTS);
        best.set(`${verb} ${name}`, Math.min(best.get(`${verb} ${name}`) ?? Number.POSITIVE_INFINITY, cost));
      }
    }
  }
  for (const verb of verbs) {
    const [bare = 0, whole = 0] = ['floor', 'orch'].map((name) => best.get(`${verb} ${name}`));
    const figures = [whole, bare, whole - bare].map((figure) => figure.toFixed(1).padStart(7));
    console.log(`${verb.padEnd(7)} ${figures[0]} µs, bare HTTP ${figures[1]} µs, beyond it ${figures[2]} µs`);
  }
  client.kill();
  orch.server.close();
  floor.server.close();
  api.close();
  process.exit(0);
}

if (flags.port === undefined) await main();
else serveAsClient();
