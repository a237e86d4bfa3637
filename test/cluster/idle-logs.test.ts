import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { collectorOf, INSPECTED } from '../support/inspected.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const LOGS = 1_000;
/** Streams of a client's connection, as client-go opens no more. */
const AT_ONCE = 250;
/** Memory of the server for a log that is followed and silent, KiB; some 21 are measured. */
const MOST_KIB = 40;
/** Changes of the server's memory that do not matter. */
const NOISE_KIB = 512;

let server: Standalone;
let agent: NodeAgent;
let api: Api;
let pod: string;
/** Returns the memory of the server once collecting garbage makes it no smaller. */
let settledKiB: () => Promise<number>;
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  server = await startStandalone({ env: INSPECTED });
  const collect = collectorOf(server.process);
  settledKiB = async () => {
    let least = Number.POSITIVE_INFINITY;
    for (let unchanged = 0; unchanged < 3; unchanged++) {
      await collect();
      await pause(500);
      const now = residentKiB();
      if (now < least - NOISE_KIB) unchanged = 0;
      least = Math.min(least, now);
    }
    return least;
  };
  api = new Api(server);
  agent = await startNodeAgent({ http2: true });
  await agent.join(api, 'n');
  pod = await makePodOn(api, 'default', 'p', 'n');
  agent.answer = (req, res) => {
    res.write('line\n');
    if (!req.url?.includes('follow')) res.end();
  };
});

afterAll(async () => {
  for (const session of sessions) session.destroy();
  api?.close();
  await agent?.stop();
  await server?.stop();
});

/** Asks for logs, ten at a time; resolves when something of each has come, or all of it if it is not followed. */
async function ask(count: number, query: string): Promise<void> {
  const one = async (number: number) => {
    if (number % AT_ONCE === 0) sessions.push(connect(server.url, { ca: server.ca }));
    const headers = { ':path': `${pod}/log${query}`, authorization: `Bearer ${server.token}` };
    const stream = sessions.at(-1)?.request(headers);
    await new Promise<void>((resolve, reject) => {
      stream?.once('error', reject).once('close', resolve);
      // Responses are read to their ends; of those that have none, the first line comes.
      stream?.once('data', () => query !== '' && resolve());
    });
  };
  for (let number = 0; number < count; number += 10)
    await Promise.all(Array.from({ length: 10 }, (_, at) => one(number + at)));
}

const residentKiB = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]);

test('logs that are followed and silent take little memory of a server, where both sides speak HTTP/2', async () => {
  await ask(3_000, '');
  const before = await settledKiB();
  await ask(LOGS, '?follow=1');
  expect(agent.connections.size).toBe(LOGS / AT_ONCE);
  const each = ((await settledKiB()) - before) / LOGS;
  process.stdout.write(`an idle log takes ${each.toFixed(1)} KiB\n`);
  expect(each).toBeLessThan(MOST_KIB);
  for (const session of sessions.splice(0)) session.destroy();
  await expect
    .poll(async () => (await api.get('/metrics')).text)
    .not.toMatch(/apiserver_longrunning_requests\{[^}]*subresource="log"[^}]*\} [1-9]/);
});
