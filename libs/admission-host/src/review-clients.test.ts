import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoAnswer } from '@orch/admission';
import { namesOf } from '@orch/machinery';
import { AdmissionServer } from '@orch/webhooks/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressesOutside } from './admission-webhooks.js';
import { type ReviewClientSettings, ReviewClients } from './review-clients.js';
import { readServiceMap, serviceResolver } from './service-resolver.js';

let server: AdmissionServer;
let dir: string;
beforeAll(async () => {
  server = await AdmissionServer.start();
  dir = await mkdtemp(join(tmpdir(), 'review-clients-'));
});
afterAll(async () => {
  await server?.close();
  await rm(dir, { recursive: true });
});

const names = namesOf('kubernetes');
const nowhere = () => Promise.reject(new Error('no service is asked for'));
const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: { uid: 'u' } };

async function ask(path: string, settings: Partial<ReviewClientSettings> = {}, configuration?: object, config = {}) {
  const clients = new ReviewClients(configuration);
  await clients.readUsers(names);
  clients.start({ addressOf: nowhere, maxValues: 1000, ...settings });
  try {
    const clientConfig = { ...server.clientConfig(path), ...config };
    return await clients.ask({ config: clientConfig, review, timeoutMs: 20_000 });
  } finally {
    await clients.close();
  }
}

test('an answer is read as JSON', async () => {
  expect(await ask('/plain')).toEqual({ ...review, request: undefined, response: { uid: 'u', allowed: true } });
});

test('webhooks are shown the credentials that a file has for their host', async () => {
  const users = [
    { name: `127.0.0.1:${server.port}`, user: { token: 'for-the-host' } },
    { name: '*.default.svc:443', user: { username: 'wild', password: 'card' } },
    { name: '*', user: { token: 'for-all' } },
  ];
  const file = join(dir, 'users');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }));
  const kind = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile: file,
  };
  await ask('/host', {}, kind);
  const service = { url: undefined, service: { namespace: 'default', name: 'hooks', path: '/service' } };
  const here = () => Promise.resolve({ host: '127.0.0.1', port: server.port });
  await ask('', { addressOf: here }, kind, service);
  const shown = (path: string) => server.calls(path).map(({ headers }) => headers.authorization);
  expect(shown('/host')).toEqual(['Bearer for-the-host']);
  expect(shown('/service')).toEqual([`Basic ${Buffer.from('wild:card').toString('base64')}`]);
  await ask('/nobody');
  expect(shown('/nobody')).toEqual([undefined]);
});

test.each([
  [{ kind: 'Other', apiVersion: 'apiserver.config.k8s.io/v1' }, /unexpected type: Other/],
  [{ kind: 'WebhookAdmissionConfiguration', apiVersion: 'v1' }, /unknown apiVersion: v1/],
  [
    { kind: 'WebhookAdmissionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', kubeConfigFile: 'a' },
    /must be an absolute file path/,
  ],
  ['text', /not an object/],
])('is not configured with %j', (configuration, why) => {
  expect(() => new ReviewClients(configuration)).toThrow(why);
});

test('networks may be closed to webhooks', async () => {
  const allowsAddress = addressesOutside(['127.0.0.0/8', '::1/128']) as (address: string) => boolean;
  await expect(ask('/denied', { allowsAddress })).rejects.toThrow('connections to 127.0.0.1 are not allowed');
  const named = { url: `https://localhost:${server.port}/denied` };
  await expect(ask('', { allowsAddress }, undefined, named)).rejects.toThrow(/connections to .* are not allowed/);
  expect(server.calls('/denied')).toEqual([]);
  const others = addressesOutside(['10.0.0.0/8']) as (address: string) => boolean;
  await ask('/allowed', { allowsAddress: others });
  await ask('', { allowsAddress: others }, undefined, { url: `https://localhost:${server.port}/allowed` });
  expect(server.calls('/allowed')).toHaveLength(2);
});

test.each(['10.0.0.0', '10.0.0.0/99', 'x/8'])('%s is no network', (cidr) => {
  expect(() => addressesOutside([cidr])).toThrow();
});

test('services may be reached elsewhere', async () => {
  const overrides = readServiceMap(['default/hooks:443=127.0.0.1:1', 'default/all=[::1]:2']);
  const find = () => {
    throw new Error('services are looked up');
  };
  const addressOf = serviceResolver({ reader: { get: find } as never, find, toEndpoints: false, overrides });
  expect(await addressOf({ namespace: 'default', name: 'hooks', port: 443 })).toEqual({ host: '127.0.0.1', port: 1 });
  expect(await addressOf({ namespace: 'default', name: 'all', port: 8443 })).toEqual({ host: '::1', port: 2 });
  await expect(addressOf({ namespace: 'default', name: 'hooks', port: 444 })).rejects.toThrow('looked up');
  expect(() => readServiceMap(['hooks=x'])).toThrow('--service-resolver: hooks=x is not NAMESPACE/NAME:PORT=HOST:PORT');
});

test.each<
  [string, (code: { writeHead(code: number): { end(text?: string): void } }) => void, number | undefined, string]
>([
  ['503', (response) => response.writeHead(503).end('x'), 503, 'the server is currently unable to handle the request'],
  ['a Status', (response) => response.writeHead(403).end('{"kind":"Status","code":403,"message":"no"}'), 403, 'no'],
  ['no JSON', (response) => response.writeHead(200).end('x'), 200, ''],
])('what is no answer tells its code: %s', async (_what, say, code, message) => {
  server.answer('/bad', (_review, response) => void say(response as never));
  const error = await ask('/bad').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoAnswer);
  expect((error as NoAnswer).code).toBe(code);
  expect((error as NoAnswer).message).toContain(message);
});
