import { authenticated } from '@orch/authentication';
import { MASTERS } from '@orch/authorization';
import { testApi } from '@orch/testing';
import { expect, test } from 'vitest';
import { serverForUsers } from '../pipeline/caller.js';
import { skipsWebhooks } from './skipped-webhooks.js';

const asked = (query: string, ...groups: string[]) =>
  skipsWebhooks(new URLSearchParams(query), authenticated({ name: 'jane', groups, extra: {} }, 'token').user);

test('only administrators pass by webhooks, and only if they say so', () => {
  expect(asked('')).toBe(false);
  expect(asked('skipAdmissionWebhooks=false')).toBe(false);
  expect(asked('skipAdmissionWebhooks=true', MASTERS)).toBe(true);
  expect(() => asked('skipAdmissionWebhooks=true')).toThrow(expect.objectContaining({ code: 403 }));
  expect(() => asked('skipAdmissionWebhooks=1', MASTERS)).toThrow(expect.objectContaining({ code: 400 }));
});

test('the server passes by them with what is its own, and not with what it does for users', async () => {
  const skipped: (boolean | undefined)[] = [];
  const plugin = {
    name: 'Watching',
    handles: ({ resource }: { resource: string }) => resource === 'configmaps',
    admit: (attributes: { skipsWebhooks?: boolean }) => void skipped.push(attributes.skipsWebhooks),
  };
  const api = await testApi({}, 'orch', undefined, {}, [plugin]);
  await api.create('configmaps', { metadata: { name: 'own' } });
  const create = () => ({ metadata: { name: 'theirs', namespace: 'default' } });
  await api.deps.pipeline.write(api.request('CREATE', 'configmaps', 'theirs', { caller: serverForUsers() }), {
    create,
  });
  expect(skipped).toEqual([true, false]);
  api.close();
});
