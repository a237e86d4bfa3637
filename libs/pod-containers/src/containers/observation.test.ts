import { RuntimeError } from '@orch/container-runtime';
import { beforeEach, expect, it } from 'vitest';
import { containerAnnotations, containerLabels, sandboxLabels } from './labels.js';
import { type ListedPod, RuntimeObserver } from './observation.js';

const pod = { metadata: { uid: 'u', name: 'p', namespace: 'n' } };
const container = { name: 'c' };
const states = { sandbox: 'ready' as string | undefined, container: 'running' as string | undefined };
const asked: string[] = [];

const sandbox = () => ({
  ...{ id: 's', labels: sandboxLabels(pod), annotations: {}, state: states.sandbox, createdAt: 1 },
  metadata: { attempt: 0 },
});
const run = () => ({
  ...{ id: 'r', sandboxId: 's', labels: containerLabels(pod, container), state: states.container, createdAt: 1 },
  annotations: containerAnnotations(pod, container, 0),
});
const unlessGone = <T extends object>(state: string | undefined, item: () => T): T => {
  if (state === undefined) throw new RuntimeError('NotFound', 'gone');
  return item();
};
const runtime = {
  listSandboxes: async () => (states.sandbox ? [sandbox()] : []),
  listContainers: async () => (states.container ? [run()] : []),
  async sandboxStatus() {
    asked.push('sandbox');
    return unlessGone(states.sandbox, () => ({ ...sandbox(), ips: [], namespaces: { network: 'pod' } }));
  },
  async containerStatus() {
    asked.push('container');
    return unlessGone(states.container, () => ({ ...run(), exitCode: 0, reason: '', message: '', mounts: [] }));
  },
} as unknown as ConstructorParameters<typeof RuntimeObserver>[0];

let observer: RuntimeObserver;
beforeEach(() => {
  Object.assign(states, { sandbox: 'ready', container: 'running' });
  asked.length = 0;
  observer = new RuntimeObserver(runtime, 'fake');
});

/** Returns the states of a pod that was listed, and what the runtime was asked for them. */
async function observed(listed: ListedPod | undefined) {
  const { sandboxes = [], containers = [] } = (listed && (await observer.observe(listed))) ?? {};
  return [[...sandboxes, ...containers].map(({ state }) => state), asked.splice(0)];
}
const listed = async () => (await observer.list()).get('u');

it('details of what runs are asked for once', async () => {
  expect(await observed(await listed())).toEqual([
    ['ready', 'running'],
    ['sandbox', 'container'],
  ]);
  expect(await observed(await listed())).toEqual([['ready', 'running'], []]);
  expect(await observed(await observer.listOne('u'))).toEqual([['ready', 'running'], []]);
});

it('details of what does not run any more are asked for each time', async () => {
  await observed(await listed());
  Object.assign(states, { sandbox: 'notReady', container: 'exited' });
  for (let time = 0; time < 2; time++)
    expect(await observed(await listed())).toEqual([
      ['notReady', 'exited'],
      ['sandbox', 'container'],
    ]);
});

it('what has ended since it was listed is not remembered as it was listed', async () => {
  const before = await listed();
  Object.assign(states, { sandbox: 'notReady', container: 'exited' });
  for (let time = 0; time < 2; time++)
    expect(await observed(before)).toEqual([
      ['notReady', 'exited'],
      ['sandbox', 'container'],
    ]);
});

it('details of what is not listed any more are forgotten', async () => {
  const before = await listed();
  await observed(before);
  Object.assign(states, { sandbox: undefined, container: undefined });
  expect(await observed(await listed())).toEqual([[], []]);
  expect(await observed(before)).toEqual([[], ['sandbox', 'container']]);
});
