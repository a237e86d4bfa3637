import type { AdmissionPlugin, Attributes } from '@orch/admission';
import { StatusError } from '@orch/machinery';
import { controllerHost, MemoryStore, type RunningControllers, runNamespaceController, testApi } from '@orch/testing';
import { ControllerClient } from '@orch/writing';
import { afterEach, expect, it } from 'vitest';

let running: RunningControllers | undefined;
afterEach(() => running?.stop());

/** What a client gets where a webhook denies a request as if the object did not exist. */
function denied(resource: string, name: string): StatusError {
  const why = `${resource} "${name}" not found`;
  const refusal = new StatusError('NotFound', `admission webhook "w.example.com" denied the request: ${why}`);
  refusal.status.details = { name, kind: resource };
  return refusal;
}

/** An API whose webhook denies these with 404, until the test lets them pass. */
async function refusing(denies: (attributes: Attributes) => boolean) {
  const state = { passes: false };
  const plugin = {
    name: 'Denying',
    handles: () => true,
    validate(attributes: Attributes) {
      if (!state.passes && denies(attributes)) throw denied(attributes.resource, attributes.name);
      return undefined;
    },
  } as unknown as AdmissionPlugin;
  const api = await testApi({}, 'kubernetes', new MemoryStore(), {}, [plugin]);
  return { api, state };
}

it.each([
  ['finalizing it', 'namespaces', 'finalize'],
  ['deleting what it holds', 'configmaps', ''],
] as const)(
  'a webhook that denies %s with 404 does not make the namespace count as empty or gone',
  async (...given) => {
    const [, resource, subresource] = given;
    const { api, state } = await refusing(
      ({ operation, subresource: of, resource: about }) =>
        about === resource && (of ?? '') === subresource && (resource === 'namespaces' || operation === 'DELETE'),
    );
    const errors: unknown[] = [];
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'held' } }, 'going');
    const client = new ControllerClient(controllerHost(api), 'test');
    await client.delete(api.endpoint('namespaces'), { namespace: '', name: 'going' }, { dryRun: false });
    running = await runNamespaceController(api, { onError: (error) => void errors.push(error) });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(String(errors[0])).toContain('denied the request');
    expect(api.stored('namespaces', 'going')?.spec).toEqual({ finalizers: ['kubernetes'] });
    expect(api.stored('configmaps', 'held', 'going') !== undefined).toBe(resource === 'configmaps');
    state.passes = true;
    await expect.poll(() => api.stored('namespaces', 'going'), { timeout: 15_000 }).toBeUndefined();
    expect(api.stored('configmaps', 'held', 'going')).toBeUndefined();
    await running.stop();
    running = undefined;
    api.close();
  },
);
