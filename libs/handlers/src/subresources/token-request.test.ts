import { generateKeyPairSync } from 'node:crypto';
import { signingKeyOf, TokenIssuer, type TokenIssuerSettings } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const NAMES = namesOf('kubernetes');
const GROUP = NAMES.group('authentication.orch.io');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const KEY = signingKeyOf(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const YEAR = 365 * 24 * 3600;

let api: TestApi;
let server: TestServer | undefined;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  for (const name of ['robot', 'other']) await api.create('serviceaccounts', { metadata: { name } });
  const spec = { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] };
  await api.create('pods', { metadata: { name: 'web' }, spec });
  await api.create('secrets', { metadata: { name: 'held' } });
});
afterEach(async () => {
  await server?.close();
  api.close();
});

/** Asks for a token of the account `robot`, and takes it apart. */
async function ask(spec: object, settings: Partial<TokenIssuerSettings> = {}) {
  const tokenIssuer = new TokenIssuer({
    ...{ names: NAMES, key: KEY, issuer: 'https://issuer', audiences: ['api', 'api2'], maxSeconds: undefined },
    extend: true,
    ...settings,
  });
  const served = { ...api, deps: { ...api.deps, tokenIssuer } };
  server = await openServer(listenerOf(served));
  const { status, headers, body } = await server.ask('/api/v1/namespaces/default/serviceaccounts/robot/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'TokenRequest', spec }),
  });
  await server.close();
  const answer = JSON.parse(body.toString());
  const [, claims = ''] = status === 201 ? answer.status.token.split('.') : [];
  return {
    ...{ status, answer, warning: headers.warning },
    ...(status === 201 && readClaims(Buffer.from(claims, 'base64url').toString())),
  };
}

/** What a token is bound to, and for how many seconds it is good, and those after which its holder is warned. */
function readClaims(text: string) {
  const { exp, iat, 'kubernetes.io': own } = JSON.parse(text);
  const { warnafter, namespace, ...boundTo } = own;
  expect(namespace).toBe('default');
  return { boundTo, seconds: exp - iat, ...(warnafter !== undefined && { warnAfter: warnafter - iat }) };
}

const uidOf = (resource: string, name: string) => api.stored(resource, name)?.metadata?.uid;
const refTo = (kind: string, name: string, more: object = {}) => ({
  boundObjectRef: { apiVersion: 'v1', kind, name, ...more },
});

describe('a token that is asked for', () => {
  it('is of the account that has the name now', async () => {
    const serviceaccount = { name: 'robot', uid: uidOf('serviceaccounts', 'robot') };
    expect(await ask({})).toMatchObject({ status: 201, boundTo: { serviceaccount }, seconds: 3600 });
    expect(serviceaccount.uid).toMatch(/./);
  });

  it.each([
    ['Pod', 'pods', 'web', 'pod'],
    ['Secret', 'secrets', 'held', 'secret'],
  ])('is bound to the %s that has the name now, by its uid', async (kind, resource, name, claim) => {
    const uid = uidOf(resource, name);
    expect(uid).toMatch(/./);
    const found = await ask(refTo(kind, name));
    expect(found.boundTo?.[claim]).toEqual({ name, uid });
    expect(Object.keys(found.boundTo ?? {}).sort()).toEqual([claim, 'serviceaccount'].sort());
    expect((await ask(refTo(kind, name, { uid }))).boundTo?.[claim]).toEqual({ name, uid });
  });

  it.each([
    ['Pod', 'web'],
    ['Secret', 'held'],
  ])('is refused for a %s that had the name at another time', async (kind, name) => {
    const { status, answer } = await ask(refTo(kind, name, { uid: 'of-another-time' }));
    expect([status, answer.reason]).toEqual([409, 'Conflict']);
    expect(answer.message).toContain('the UID in the bound object reference (of-another-time) does not match');
  });

  it('is refused for a pod of another account, and for what is not there', async () => {
    const spec = { serviceAccountName: 'other', containers: [{ name: 'c', image: 'i' }] };
    await api.create('pods', { metadata: { name: 'of-other' }, spec });
    expect((await ask(refTo('Pod', 'of-other'))).status).toBe(400);
    expect((await ask(refTo('Pod', 'none'))).status).toBe(404);
    expect((await ask(refTo('Node', 'n1'))).status).toBe(400);
    expect((await ask(refTo('Pod', 'web', { apiVersion: 'apps/v1' }))).status).toBe(400);
  });
});

describe('how long a token is good', () => {
  it('is what is asked for, between ten minutes and 2^32 seconds', async () => {
    expect(await ask({ expirationSeconds: 600 })).toMatchObject({ seconds: 600 });
    expect(await ask({ expirationSeconds: 2 ** 32 })).toMatchObject({ seconds: 2 ** 32 });
    for (const expirationSeconds of [599, 2 ** 32 + 1]) expect((await ask({ expirationSeconds })).status).toBe(422);
  });

  it('is shortened to what the server allows, with a warning, in the token and in the answer', async () => {
    const { answer, seconds, warning } = await ask({ expirationSeconds: 7201 }, { maxSeconds: 7200 });
    expect(seconds).toBe(7200);
    expect(answer.spec.expirationSeconds).toBe(7200);
    const { expirationTimestamp } = answer.status;
    expect(Date.parse(expirationTimestamp) - Date.parse(answer.metadata.creationTimestamp)).toBe(7_200_000);
    expect(warning).toContain('requested expiration of 7201 seconds shortened to 7200 seconds');
    const allowed = await ask({ expirationSeconds: 7200 }, { maxSeconds: 7200 });
    expect([allowed.seconds, allowed.warning]).toEqual([7200, undefined]);
  });

  it('is a year for pods that ask as those do that read it once, which are warned before', async () => {
    const injected = { expirationSeconds: 3607, ...refTo('Pod', 'web') };
    const found = await ask(injected);
    expect(found).toMatchObject({ seconds: YEAR, warnAfter: 3607 });
    expect(found.answer.spec.expirationSeconds).toBe(3607);
    expect(await ask(injected, { maxSeconds: 7200 })).toMatchObject({ seconds: YEAR, warnAfter: 3607 });
    expect(await ask({ ...injected, audiences: ['api2'] })).toMatchObject({ seconds: YEAR });
  });

  it.each<[string, object, Partial<TokenIssuerSettings>]>([
    ['another time is asked for', { expirationSeconds: 3608 }, {}],
    ['the server is told not to', {}, { extend: false }],
    ['it is for others too', { audiences: ['api', 'vault'] }, {}],
    ['it is of a Secret', refTo('Secret', 'held'), {}],
    ['it is of an account alone', { boundObjectRef: undefined }, {}],
  ])('is no year where %s', async (_, spec, settings) => {
    const found = await ask({ expirationSeconds: 3607, ...refTo('Pod', 'web'), ...spec }, settings);
    expect(found.seconds).toBeLessThan(4000);
    expect(found).not.toHaveProperty('warnAfter');
  });
});

it('where no tokens are issued there is no such path', async () => {
  server = await openServer(listenerOf(api));
  const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
  expect((await server.ask(path, { method: 'POST', body: '{}' })).status).toBe(404);
});
