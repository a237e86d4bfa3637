import { namesOf } from '@orch/machinery';
import { beforeEach, expect, test } from 'vitest';
import { BootstrapTokens } from './bootstrap-tokens.js';
import { type KnownObject, keyOfObject, type ObjectName, validityOf } from './bound-objects.js';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const TOKEN = 'abc123.0123456789abcdef';
const DATA = {
  'token-id': 'abc123',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};
let clock: number;
let secret: KnownObject | undefined;
let asked: string[];
const objects = {
  find(object: ObjectName) {
    asked.push(keyOfObject(object));
    return secret;
  },
};
const tokens = new BootstrapTokens(namesOf('kubernetes'), objects, () => clock);
const secretOf = (data: Record<string, string | undefined>, more: Partial<KnownObject> = {}): KnownObject => ({
  uid: 'u',
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries({ ...DATA, ...data }).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >,
  ...more,
});

beforeEach(() => {
  clock = NOW;
  asked = [];
  secret = secretOf({});
});

test('a token of a Secret', async () => {
  const found = await tokens.verify(TOKEN);
  expect(found).toMatchObject({
    user: { name: 'system:bootstrap:abc123', groups: ['system:bootstrappers', 'system:authenticated'] },
    method: 'token',
  });
  expect(found).not.toHaveProperty('expiresAt');
  expect(asked).toEqual(['Secret/kube-system/bootstrap-token-abc123']);
  expect((await tokens.verify(TOKEN))?.user, 'one user a Secret').toBe(found?.user);
  secret = secretOf({
    'auth-extra-groups': 'system:bootstrappers:x:y,system:bootstrappers:a',
    expiration: '2026-05-01T12:00:05Z',
  });
  const extended = await tokens.verify(TOKEN);
  expect(extended?.user.groups).toEqual([
    'system:bootstrappers',
    'system:bootstrappers:a',
    'system:bootstrappers:x:y',
    'system:authenticated',
  ]);
  expect(extended?.expiresAt).toBe(NOW + 5000);
  clock += 5000;
  expect(await tokens.verify(TOKEN)).toBeUndefined();
});

test.each<[string, KnownObject | undefined]>([
  ['is not there', undefined],
  ['is deleted', secretOf({}, { deletedAt: NOW + 60_000 })],
  ['is of another type', secretOf({}, { type: 'Opaque' })],
  ['has another secret', secretOf({ 'token-secret': '0123456789abcdeg' })],
  ['has a longer secret', secretOf({ 'token-secret': '0123456789abcdef0' })],
  ['has no secret', secretOf({ 'token-secret': undefined })],
  ['has another id', secretOf({ 'token-id': 'abc124' })],
  ['is for another use', secretOf({ 'usage-bootstrap-authentication': 'yes' })],
  ['says nothing of its use', secretOf({ 'usage-bootstrap-authentication': undefined })],
  ['has expired', secretOf({ expiration: '2026-05-01T12:00:00Z' })],
  ['expires on a day that there is not', secretOf({ expiration: '2099-02-30T00:00:00Z' })],
  ['expires at an hour that there is not', secretOf({ expiration: '2099-01-01T24:00:00Z' })],
  ['expires nobody knows when', secretOf({ expiration: 'tomorrow' })],
  ['names groups of others', secretOf({ 'auth-extra-groups': 'system:bootstrappers:a,system:masters' })],
  ['names a group of none', secretOf({ 'auth-extra-groups': 'system:bootstrappers:' })],
])('a token whose Secret %s is refused', async (_flaw, found) => {
  secret = found;
  expect(await tokens.verify(TOKEN)).toBeUndefined();
});

test.each(['', 'abc123', 'abc12.0123456789abcdef', 'ABC123.0123456789abcdef', `${TOKEN}0`, `${TOKEN}\n`, `x${TOKEN}`])(
  '%j is not looked for',
  async (token) => {
    expect(await tokens.verify(token)).toBeUndefined();
    expect(asked).toEqual([]);
  },
);

test('what was let in by one is not any more when it has changed', async () => {
  const { boundTo = [] } = (await tokens.verify(TOKEN)) ?? {};
  const refusal = async () => (await validityOf(boundTo, objects, () => clock)).refusal;
  secret = secretOf({ unrelated: 'x' });
  expect(await refusal()).toBeUndefined();
  for (const changed of [
    secretOf({ 'token-secret': 'z' }),
    secretOf({ 'auth-extra-groups': 'system:bootstrappers:a' }),
    undefined,
  ]) {
    secret = changed;
    expect(await refusal()).toBe('the bootstrap token has been changed or deleted');
  }
});
