import type { ApiObject } from '@orch/machinery';
import { deployment, pod, status } from '@orch/machinery/testing';
import { ownersApart } from '@orch/resources';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverItself } from '../pipeline/caller.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi({}, 'kubernetes');
});
afterAll(() => api.close());

/** Bytes of the owners in the database for each byte of the object beside them. */
function shareOfOwners(resource: string): number {
  const [row] = api.store.rows(api.endpoint(resource).type);
  const { body, owners } = ownersApart.split(row?.body ?? expect.unreachable());
  return (owners?.length ?? expect.unreachable()) / body.length;
}

describe('owners of fields in the database', () => {
  it('take at most 15 % of a Deployment of 5 KiB that a client has made and a controller looks after', async () => {
    await api.create('deployments', deployment('d', 1));
    const caller = { ...serverItself(), agent: 'kube-controller-manager' };
    await api.deps.pipeline.write(api.request('UPDATE', 'deployments', 'd', { subresource: 'status', caller }), {
      change: (current) => ({ ...current, status: status(2) }),
    });
    const managers = api.stored('deployments', 'd')?.metadata?.managedFields?.map(({ manager }) => manager);
    expect(managers?.sort()).toEqual(['kube-controller-manager', 'orch']);
    expect(shareOfOwners('deployments')).toBeLessThan(0.15);
  });

  it('take at most 15 % of a Pod of 20 KiB', async () => {
    const large: ApiObject = pod(4, { variables: 75 });
    expect(JSON.stringify(large).length).toBeGreaterThan(18_000);
    await api.create('pods', large);
    expect(shareOfOwners('pods')).toBeLessThan(0.15);
  });
});
