import { listenerOf, openServer, testApi } from '@orch/testing';
import { expect, it } from 'vitest';

it('a deletion of many large objects lets others have turns between them', async () => {
  const api = await testApi();
  const server = await openServer(listenerOf(api));
  const data = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`k${i}`, '']));
  for (let i = 0; i < 100; i++) await api.create('configmaps', { metadata: { name: `c${i}` }, data });
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  const begun = new Set<number>();
  const { remover } = api.deps;
  const remove = remover.removeListed.bind(remover);
  remover.removeListed = (...about) => {
    begun.add(turns);
    return remove(...about);
  };
  setImmediate(count);
  const { status } = await server.ask('/api/v1/namespaces/default/configmaps', { method: 'DELETE' });
  over = true;
  expect(status).toBe(200);
  expect(begun.size).toBeGreaterThan(3);
  expect(api.stored('configmaps', 'c0')).toBeUndefined();
  await server.close();
  api.close();
});
