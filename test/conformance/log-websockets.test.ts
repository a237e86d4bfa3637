import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { flood } from '../support/flood.js';
import { breakOff, makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { openWebSocket } from '../support/web-socket.js';
import { conformanceWithoutNames, type Suite } from './conformance.js';

conformanceWithoutNames('Logs of pods over WebSockets [Connections]', (suite) => {
  describe.each([1, 2])('of an agent that speaks HTTP/%i', (version) => logsOf(suite, version === 2));
});

function logsOf({ api, namespace }: Pick<Suite, 'api' | 'namespace'>, http2: boolean): void {
  let agent: NodeAgent;
  let node: string;
  let pod: string;

  beforeAll(async () => {
    agent = await startNodeAgent({ http2 });
    const ns = await namespace();
    node = `n-${ns}`;
    await agent.join(api, node);
    pod = await makePodOn(api, ns, 'p', node);
  });

  beforeEach(() => {
    agent.answer = (_req, res) => res.end('line\n');
  });

  afterAll(async () => {
    await api.delete(`/api/v1/nodes/${node}`);
    await agent.stop();
  });

  const open = (query = '', protocols: readonly string[] = []) =>
    openWebSocket(api.settings, `${pod}/log${query}`, protocols);

  /** Has the agent begin a log, and returns its answer, which goes on. */
  function begun(): Promise<ServerResponse> {
    return new Promise((resolve) => {
      agent.answer = (_req, res) => {
        res.write('first\n');
        resolve(res);
      };
    });
  }

  test.each([
    [[], '', 'line\n'],
    [['binary.k8s.io'], 'binary.k8s.io', 'line\n'],
    [['base64.binary.k8s.io'], 'base64.binary.k8s.io', 'bGluZQo='],
    [['v4.channel.k8s.io', 'base64.binary.k8s.io', 'binary.k8s.io'], 'base64.binary.k8s.io', 'bGluZQo='],
  ])('of %j', async (offered, chosen, sent) => {
    const { protocol, messages, closed } = await open('', offered);
    expect(protocol).toBe(chosen);
    expect(await closed).toBe(1000);
    const isBinary = !chosen.startsWith('base64');
    expect(messages).toEqual(['', sent].map((text) => ({ bytes: Buffer.from(text), isBinary })));
  });

  test('a handshake that cannot be is refused', async () => {
    const { status, refusal } = await open('', ['channel.k8s.io']);
    expect([status, JSON.parse(refusal).reason]).toEqual([403, 'Forbidden']);
    agent.answer = (_req, res) => res.writeHead(400).end('said');
    const answer = await open('?previous=1', ['binary.k8s.io']);
    expect([answer.status, JSON.parse(answer.refusal).message]).toEqual([400, 'said']);
  });

  test('what is followed arrives as it is written; pings are answered; the end of the client is that of the agent', async () => {
    const log = begun();
    const { client, messages } = await open('?follow=1', ['binary.k8s.io']);
    await expect.poll(() => String(messages.at(-1)?.bytes)).toBe('first\n');
    client.ping('there?');
    expect(String((await once(client, 'pong'))[0])).toBe('there?');
    client.send('nobody reads this');
    const res = await log;
    res.write('second\n');
    await expect.poll(() => String(messages.at(-1)?.bytes)).toBe('second\n');
    const closed = once(res, 'close');
    client.close();
    await closed;
  });

  test('a client that is gone is the end for the agent', async () => {
    const log = begun();
    const { client } = await open('?follow=1');
    const closed = once(await log, 'close');
    client.terminate();
    await closed;
  });

  test('an agent that breaks off is a log that breaks off', async () => {
    const log = begun();
    const { closed } = await open('?follow=1');
    breakOff(await log);
    expect(await closed).toBe(1006);
  });

  test('a message of a client is bounded', async () => {
    const log = begun();
    const { client, closed } = await open('?follow=1');
    const ended = once(await log, 'close');
    client.send(Buffer.alloc((64 << 10) + 1));
    expect(await closed).toBe(1009);
    await ended;
  });

  test('a reader that stands still stops the agent, and reads all of it later', async () => {
    let res: ServerResponse | undefined;
    const sent = new Promise<number>((resolve) => {
      agent.answer = (_req, answering) => {
        res = answering;
        resolve(flood(answering, 256));
      };
    });
    const { client, messages, closed } = await open('?follow=1', ['binary.k8s.io']);
    client.pause();
    const pieces = await sent;
    expect(pieces).toBeLessThan(64);
    res?.end();
    client.resume();
    expect(await closed).toBe(1000);
    expect(messages.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(pieces << 20);
  });
}
