import type { ApiObject } from '@orch/machinery';
import { testApi } from '@orch/testing';
import { expect, it } from 'vitest';

it('of a client that gives up while they are planned, sets are not written', async () => {
  const api = await testApi();
  try {
    await api.create('configmaps', { metadata: { name: 'a' }, data: {} });
    const request = api.request('UPDATE', 'configmaps', 'a');
    const deadline = performance.now() + 50;
    const caller = { ...request.caller, deadline };
    const change = async (current: ApiObject) => {
      while (performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      return { ...current, data: { late: 'x' } };
    };
    const [base] = api.store.rows(request.endpoint.type).filter(({ name }) => name === 'a');
    if (!base) throw new Error('it is there');
    const members = async () => [{ request: { ...request, caller }, base, change }];
    await expect(api.deps.sets.write(members, deadline)).rejects.toMatchObject({ code: 504 });
    expect(api.stored('configmaps', 'a')).not.toMatchObject({ data: { late: 'x' } });
  } finally {
    api.close();
  }
});
