import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOAD_BALANCERS } from '../../tools/up/index.js';
import { rawExchange } from '../support/raw-exchange.js';
import { type Balanced, openBalanced, probedWithin, WARNINGS } from './balanced.js';

const PROBED_SECONDS = 30;

describe.each(LOAD_BALANCERS)('%s', (kind) => {
  let balanced: Balanced;
  beforeAll(async () => {
    balanced = await openBalanced(kind);
  });
  afterAll(() => balanced?.close());

  test.each(['POST', 'PUT', 'GET'])('%s: an answer has all the warnings that a server may give', async (method) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => balanced.ask('/warned', method)));
    const all = answers.map(() => [200, WARNINGS.length]);
    expect(answers.map(({ status, warnings }) => [status, warnings])).toEqual(all);
  });

  test('a write that names a watch is none', async () => {
    const answer = await balanced.ask('/warned?watch=1', 'POST');
    expect(answer).toMatchObject({ status: 200, warnings: WARNINGS.length });
  });

  test('heads that are too large for the servers are refused, and no server is taken for down', async () => {
    const large = Array.from({ length: 5 }, (_, at) => `X-${at}: ${'x'.repeat(60_000)}\r\n`).join('');
    const refused = async () => {
      const sent = `GET / HTTP/1.1\r\nHost: localhost\r\n${large}\r\n`;
      const said = await rawExchange({ url: `https://127.0.0.1:${balanced.port}`, ca: balanced.ca }, sent);
      return /^HTTP\/1\.1 4\d\d/.test(said) || said === '';
    };
    const round = async () => `${await refused()} ${(await balanced.ask('/api')).status}`;
    expect([...new Set(await Promise.all(Array.from({ length: 20 }, round)))]).toEqual(['true 200']);
  });

  test('a head of almost that size is taken', async () => {
    expect((await balanced.ask(`/api?${'x'.repeat(60_000)}`)).status).toBe(200);
    expect(
      (await balanced.ask('/api', 'PUT', { 'X-Small': 'x'.repeat(800), 'X-Large': 'x'.repeat(62_000) })).status,
    ).toBe(200);
  });

  test('ends that have vanished are noticed on both sides of a silent watch', async () => {
    const { port, gatewayPort, ca } = balanced;
    const sent = request({ port, path: '/api/v1/pods?watch=1', ca, agent: false }).on('error', () => undefined);
    const body = new Promise((resolve) => sent.once('response', (answer) => answer.once('data', resolve)));
    sent.end();
    await body;
    try {
      const within = (most: number) => (times: readonly number[]) => times.some((seconds) => seconds <= most);
      await expect.poll(() => probedWithin('sport', port)).toSatisfy(within(PROBED_SECONDS));
      // Towards servers nginx leaves it to the machine when that is.
      const most = kind === 'nginx' ? Number.POSITIVE_INFINITY : PROBED_SECONDS;
      await expect.poll(() => probedWithin('dport', gatewayPort)).toSatisfy(within(most));
    } finally {
      sent.destroy();
    }
  });
});
