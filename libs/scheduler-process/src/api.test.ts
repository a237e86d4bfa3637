import { ApiError, type Client } from '@orch/client';
import { forbidden, invalid, invalidValue, notFound } from '@orch/machinery';
import { expect, it } from 'vitest';
import { podWrites } from './api.js';
import { clientRequests } from './client-cluster.js';

const POD = { namespace: 'a', name: 'p', uid: '1' };
const PODS = { group: '', resource: 'pods' };

const failing = (error: Error) => {
  const fail = () => Promise.reject(error);
  return podWrites(clientRequests({ patch: fail, delete: fail } as unknown as Client));
};

it('takes the status of a pod that is gone for written, so that its eviction goes on', async () => {
  const api = failing(new ApiError(notFound(PODS, 'p').status));
  await expect(api.patchStatus(POD, { conditions: [] })).resolves.toBeUndefined();
  await expect(api.deletePod(POD)).resolves.toBeUndefined();
});

it('takes a pod that was made anew under its name for gone as well, and no other fault of a status', async () => {
  const refusal = (field: string) =>
    failing(new ApiError(invalid('Pod', '', 'p', [invalidValue(field, 'x', 'no')]).status));
  await expect(refusal('metadata.uid').patchStatus(POD, { conditions: [] })).resolves.toBeUndefined();
  await expect(refusal('status.conditions').patchStatus(POD, { conditions: [] })).rejects.toThrow(ApiError);
});

it('fails where it may not write a status', async () => {
  const api = failing(new ApiError(forbidden(PODS, 'p', 'no').status));
  await expect(api.patchStatus(POD, { conditions: [] })).rejects.toThrow(ApiError);
});

it('writes nothing once the process leads no longer', async () => {
  const api = podWrites(clientRequests({} as Client, { goesOn: false, ended: AbortSignal.abort() }));
  await expect(api.patchStatus(POD, {})).rejects.toThrow('does not lead');
});
