import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { collectorOf, INSPECTED } from '../support/inspected.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const LOGS = 1_000;
/** Streams of a client's connection, as client-go opens no more. */
const AT_ONCE = 250;
/** Changes of the server's memory that do not matter. */
const NOISE_KIB = 512;

// A quarter to a half above what is measured. A connection with TLS takes some 47 KiB of any server of Node.
describe.each([
  { client: 2, agentVersion: 2, most: 40, agentConnections: LOGS / AT_ONCE },
  { client: 1, agentVersion: 2, most: 100, agentConnections: LOGS / AT_ONCE },
  { client: 1, agentVersion: 1, most: 180, agentConnections: LOGS },
])('logs of an agent with HTTP/$agentVersion that a client with HTTP/$client follows', (versions) => {
  let server: Standalone;
  let agent: NodeAgent;
  let api: Api;
  let pod: string;
  let collect: () => Promise<void>;
  const sessions: ClientHttp2Session[] = [];
  const streams: Readable[] = [];

  beforeAll(async () => {
    server = await startStandalone({ env: INSPECTED });
    collect = collectorOf(server.process);
    api = new Api(server);
    agent = await startNodeAgent({ http2: versions.agentVersion === 2 });
    await agent.join(api, 'n');
    pod = await makePodOn(api, 'default', 'p', 'n');
    agent.answer = (req, res) => {
      res.write('line\n');
      if (!req.url?.includes('follow')) res.end();
    };
  });

  afterAll(async () => {
    for (const each of [...streams, ...sessions]) each.destroy();
    api?.close();
    await agent?.stop();
    await server?.stop();
  });

  const headers = () => ({ authorization: `Bearer ${server.token}` });

  function open(path: string, number: number): Promise<Readable> {
    if (versions.client === 2) {
      if (number % AT_ONCE === 0) sessions.push(connect(server.url, { ca: server.ca }));
      const stream = sessions.at(-1)?.request({ ':path': path, ...headers() });
      return Promise.resolve(stream as Readable);
    }
    return new Promise((resolve, reject) => {
      const asking = request(`${server.url}${path}`, { ca: server.ca, headers: headers(), agent: false });
      asking.once('response', resolve).once('error', reject).end();
    });
  }

  /** Asks for logs, ten at a time; resolves when the first line of each has come, of those that end all of them. */
  async function ask(count: number, query: '' | '?follow=1'): Promise<void> {
    const one = async (number: number) => {
      const stream = await open(`${pod}/log${query}`, number);
      if (query !== '') streams.push(stream);
      await new Promise<void>((resolve, reject) => {
        stream.on('error', reject).once('close', resolve);
        stream.on('data', () => query !== '' && resolve());
      });
    };
    for (let number = 0; number < count; number += 10)
      await Promise.all(Array.from({ length: 10 }, (_, at) => one(number + at)));
  }

  const residentKiB = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]);

  /** Returns the memory of the server once collecting garbage makes it no smaller. */
  async function settledKiB(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let unchanged = 0; unchanged < 3; unchanged++) {
      await collect();
      await pause(500);
      const now = residentKiB();
      if (now < least - NOISE_KIB) unchanged = 0;
      least = Math.min(least, now);
    }
    return least;
  }

  test(`take less than ${versions.most} KiB of a server each while they are silent`, async () => {
    // What a server does for the first time takes memory, too.
    await ask(3 * LOGS, '');
    const before = await settledKiB();
    await ask(LOGS, '?follow=1');
    expect(agent.connections.size).toBe(versions.agentConnections);
    const each = ((await settledKiB()) - before) / LOGS;
    process.stdout.write(`${each.toFixed(1)} KiB for each log\n`);
    expect(each).toBeLessThan(versions.most);
  });
});
