import type { Runtime } from '@orch/container-runtime';

/** Returns the pods whose containers run, as the runtime knows them. */
export async function runningPods(runtime: Runtime): Promise<object> {
  const [sandboxes, containers] = await Promise.all([
    runtime.listSandboxes({ state: 'ready' }),
    runtime.listContainers({ state: 'running' }),
  ]);
  const items = sandboxes.map(({ id, metadata: { name, namespace, uid } }) => ({
    metadata: { name, namespace, uid, creationTimestamp: null },
    spec: {
      containers: containers
        .filter(({ sandboxId }) => sandboxId === id)
        .map(({ metadata, image }) => ({ name: metadata.name, image, resources: {} })),
    },
    status: {},
  }));
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: items.filter(({ spec }) => spec.containers.length > 0),
  };
}
