import { expect, it, vi } from 'vitest';
import { PermittedReflector, type ReflectorAccess } from './permitted-reflector.js';

it('does not follow what has ended while the rights were asked for', async () => {
  const ended = new AbortController();
  const [listAndWatch, release] = [vi.fn(() => Promise.resolve()), vi.fn()];
  const watches = { expect: vi.fn(), forget: vi.fn(), admit: () => ({ endBy: vi.fn() }), release };
  const access = {
    identity: { user: { name: 'u', groups: [], extra: {} }, agent: 'a' },
    requests: { make: async () => ended.abort() },
    watches,
  } as unknown as ReflectorAccess;
  const endpoint = { definition: { group: '', version: 'v1', resource: 'pods' } };
  const reflector = new PermittedReflector(
    access,
    () => endpoint as never,
    () => ({ listAndWatch }) as never,
  );
  await expect(reflector.listAndWatch({} as never, ended.signal)).rejects.toThrow('aborted');
  expect([listAndWatch.mock.calls, release.mock.calls.length]).toEqual([[], 1]);
});
