import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { WatchStream } from '../support/watch-stream.js';
import { configMap, configMaps, expectStatus } from './conformance.js';

const PATH = configMaps('default');
const WATCH = `${PATH}?watch=1`;
const REFUSAL = { kind: 'Status', reason: 'TooManyRequests', message: 'Too many requests, please try again later.' };

let dir: string;
/** Authorities of callers: one that is believed at first, and one in its place. */
let [first, second]: Pki[] = [];
let clientCa: string;
let server: Standalone;
const apis: Api[] = [];
let admin: Api;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-limits-'));
  chmodSync(dir, 0o711);
  const pki = (name: string) =>
    ensurePki({ certDir: join(dir, name), bindAddress: '127.0.0.1', names: namesOf('kubernetes') });
  [first, second] = await Promise.all([pki('first'), pki('second')]);
  clientCa = join(dir, 'client-ca.crt');
  copyFileSync(first.ca.certFile, clientCa);
  server = await startStandalone({
    users: ['jane', 'joe'],
    strangers: ['eve'],
    args: [
      '--max-watches-per-user=2',
      '--max-watches=4',
      '--max-waiting-body-bytes-per-user=20Ki',
      '--watch-selector-terms=60',
      '--watch-selector-terms-per-user=40',
      `--client-ca-file=${clientCa}`,
    ],
  });
  admin = as(server.token);
});
afterAll(async () => {
  for (const api of apis) api.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

function as(token: string): Api {
  const api = new Api({ ...server, token });
  apis.push(api);
  return api;
}

/** Refusals for a limit so far. */
async function refusals(limit: string): Promise<number> {
  const { text } = expectStatus(await admin.get('/metrics'), 200);
  return Number(new RegExp(`^orch_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Selects everything, in so many terms. */
const negations = (prefix: string, terms: number): string =>
  encodeURIComponent(Array.from({ length: terms }, (_, at) => `!${prefix}${at}`).join(','));

describe('Limits', () => {
  test('watches are so many for a user, and so many in all', async () => {
    const [jane, joe] = [as('jane'), as('joe')];
    const open = [await jane.watch(WATCH), await jane.watch(WATCH)];
    const refused = expectStatus(await jane.get(WATCH), 429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toMatchObject(REFUSAL);
    open.push(await joe.watch(WATCH), await joe.watch(WATCH));
    open.push(await admin.watch(WATCH));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await refusals('watches')).toBe(1);
    for (const stream of open) stream.close();
    await expect
      .poll(async () => /^apiserver_longrunning_requests\{.*\} (\d+)/m.exec((await admin.get('/metrics')).text)?.[1])
      .toBe('0');
  });

  test('selectors of watches say so much for a user, and so much in all', async () => {
    const [jane, joe] = [as('jane'), as('joe')];
    // Each selector counts 4 beside its terms.
    const selecting = (prefix: string, terms: number) => `${WATCH}&labelSelector=${negations(prefix, terms - 4)}`;
    const stream = await jane.watch(selecting('a', 30));
    const refused = expectStatus(await jane.get(selecting('b', 30)), 429);
    expect(refused.json()).toMatchObject(REFUSAL);
    expectStatus(await joe.get(selecting('c', 31)), 429);
    expect(await refusals('selectors')).toBe(2);
    const other = await joe.watch(selecting('d', 30));
    const named = await jane.watch(`${WATCH}&fieldSelector=metadata.name%3Dx`);
    expect([stream.status, other.status, named.status]).toEqual([200, 200, 200]);
    for (const each of [stream, other, named]) each.close();
  });

  test('bodies take so much memory for a user', async () => {
    const body = configMap('large', { data: { text: 'x'.repeat(21 << 10) } });
    const refused = expectStatus(await as('jane').post(PATH, body), 429);
    expect(refused.json()).toMatchObject(REFUSAL);
    expectStatus(await admin.post(PATH, body), 201);
    expect(await refusals('body-bytes')).toBe(1);
  });

  test('nobody acts as another without the right to', async () => {
    const headers = { 'Impersonate-User': 'tester', 'Impersonate-Group': 'system:masters' };
    for (const path of [PATH, WATCH, '/version']) {
      const { code, message } = expectStatus(await as('eve').get(path, headers), 403).json();
      expect([code, message]).toEqual([
        403,
        expect.stringContaining('User "eve" cannot impersonate resource "users" in API group "" at the cluster scope'),
      ]);
    }
  });

  test('who claims an identity without the certificate of a proxy stays who it is', async () => {
    const headers = { 'X-Remote-User': 'tester', 'X-Remote-Group': 'system:masters' };
    const nobody = new Api({ url: server.url, ca: server.ca });
    apis.push(nobody);
    expectStatus(await nobody.get(PATH, headers), 403);
    const jane = as('jane');
    const open = [await jane.watch(WATCH), await jane.watch(WATCH)];
    expectStatus(await jane.get(WATCH, headers), 429);
    for (const stream of open) stream.close();
  });

  test('an authority that is dropped ends the watches of its callers, and no others', async () => {
    const other = await admin.watch(WATCH);
    const { cert, key } = (first as Pki).admin;
    const sent = request(`${server.url}${WATCH}`, { ca: server.ca, cert, key, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    const stream = new WatchStream(answer);
    copyFileSync((second as Pki).ca.certFile, clientCa);
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 401, reason: 'Unauthorized' } });
    expect(answer.complete, 'ended in order').toBe(true);
    expectStatus(await admin.post(PATH, configMap('after')), 201);
    const came = await other.until(({ object }) => object.metadata.name === 'after');
    expect(came.at(-1)?.type).toBe('ADDED');
    other.close();
  });
});
