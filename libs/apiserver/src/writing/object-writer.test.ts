import type { Allocators } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import type { Store, WriteOp, WriteOutcome } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import type { Endpoint, Stored } from '../endpoint.js';
import type { ObjectReader } from '../reading/object-reader.js';
import { toStoredBody } from '../representation/stored-body.js';
import { buildEndpoints } from '../server/endpoints.js';
import { ObjectWriter } from './object-writer.js';

const key = { namespace: 'default', name: 'a' };
const stored = (version: bigint, uid: string, value: string): Stored => ({
  version,
  body: toStoredBody({ metadata: { ...key, uid, creationTimestamp: '2026-01-01T00:00:00Z' }, data: { value } }),
});

/** A writer whose memory holds one state while the database holds another. */
async function writerWith(memory: Stored, database: Stored) {
  const written: WriteOp[] = [];
  const names = namesOf('orch');
  const scheme = loadScheme(names);
  const store = {
    registerTypes: async (types: readonly unknown[]) => types.map((_, i) => i + 1),
    get: async () => ({ ...key, uid: '', ...database }),
    write: async (op: WriteOp): Promise<WriteOutcome> => {
      written.push(op);
      const fits = op.op !== 'create' && op.version === database.version;
      return fits ? { outcome: 'committed', version: 99n } : { outcome: 'conflict', version: database.version };
    },
  } as unknown as Store;
  const endpoints = await buildEndpoints(scheme.resources, scheme, store, names);
  const endpoint = endpoints.find(({ definition }) => definition.resource === 'configmaps') as Endpoint;
  const reader = { hint: () => memory, current: async () => database } as unknown as ObjectReader;
  const writer = new ObjectWriter({
    store,
    reader,
    namespaces: endpoint,
    allocators: {} as Allocators,
    now: () => 0,
  });
  return { writer, written, request: { endpoint, key, subresource: '', dryRun: false } };
}

const changed = (uid: string, value: string) => () => ({ metadata: { ...key, uid }, data: { value } });

describe('an update whose base in memory is behind the database', () => {
  it('that would change nothing in the base is judged by the newest state', async () => {
    const { writer, written, request } = await writerWith(stored(1n, 'u', 'old'), stored(2n, 'u', 'new'));
    const { stored: result } = await writer.update(request, changed('u', 'old'));
    expect(result.version).toBe(99n);
    expect(written).toMatchObject([{ op: 'update', version: 2n }]);
  });

  it('and nothing in the newest state either, is answered with that', async () => {
    const { writer, written, request } = await writerWith(stored(1n, 'u', 'same'), stored(2n, 'u', 'same'));
    const { stored: result } = await writer.update(request, changed('u', 'same'));
    expect(result.version).toBe(2n);
    expect(written).toEqual([]);
  });

  it('is not refused for what only the base says', async () => {
    const { writer, request } = await writerWith(stored(1n, 'before', 'x'), stored(2n, 'now', 'x'));
    const { stored: result } = await writer.update(request, changed('now', 'y'));
    expect(result.version).toBe(99n);
    await expect(writer.update(request, changed('before', 'y'))).rejects.toMatchObject({ code: 409 });
  });

  it('is tried, when it is a dry run, on the newest state', async () => {
    const { writer, written, request } = await writerWith(stored(1n, 'u', 'old'), stored(2n, 'u', 'new'));
    const { stored: result } = await writer.update({ ...request, dryRun: true }, changed('u', 'wanted'));
    expect(result.version).toBe(2n);
    expect(written).toEqual([]);
  });
});
