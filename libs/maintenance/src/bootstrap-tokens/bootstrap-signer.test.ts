import type { Endpoint } from '@orch/resources';
import type { ConfigMap } from '@orch/schema/types/core/v1';
import type { ControllerClient } from '@orch/writing';
import { beforeEach, expect, test } from 'vitest';
import { bootstrapSigner } from './bootstrap-signer.js';
import type { BootstrapToken } from './bootstrap-token.js';
import { detachedSignature } from './detached-signature.js';

const RUN = { goesOn: true };
const NOW = 1_000_000;

/** As much of an informer as the signer reads. */
function informerOf<T>(objects: Map<string, T>) {
  const confirmed = { times: 0 };
  const informer = {
    get: (key: string) => objects.get(key),
    list: () => objects.values(),
    onChange: () => () => undefined,
    confirm: async () => void confirmed.times++,
  };
  return { confirmed, informer: informer as never };
}

let configMaps: Map<string, ConfigMap>;
let tokens: Map<string, BootstrapToken | undefined>;
let isComplete: boolean;
let updates: ConfigMap[];
beforeEach(() => {
  configMaps = new Map([['kube-public/cluster-info', { data: { kubeconfig: 'text', other: 'stays' } }]]);
  tokens = new Map([['kube-system/other', undefined]]);
  isComplete = true;
  updates = [];
});

const token = (id: string, expiresAt = Number.POSITIVE_INFINITY): BootstrapToken => ({
  ...{ name: `bootstrap-token-${id}`, uid: id, expiresAt },
  signing: { id, secret: 's' },
});

function signer() {
  const [maps, secrets] = [informerOf(configMaps), informerOf(tokens)];
  const client: Pick<ControllerClient, 'update'> = {
    async update(_target, change) {
      const updated = (await change(
        configMaps.get('kube-public/cluster-info') as never,
        undefined as never,
        undefined as never,
      )) as ConfigMap;
      updates.push(updated);
      configMaps.set('kube-public/cluster-info', updated);
      return undefined as never;
    },
  };
  const endpoint = {} as Endpoint;
  const options = { configMaps: maps.informer, tokens: secrets.informer, endpoint, client, now: () => NOW };
  return { controller: bootstrapSigner({ ...options, isComplete: () => isComplete }), maps, secrets };
}

test('begins once both caches hold what was written before, so that no signature goes for a cache that is empty', async () => {
  const { controller, maps, secrets } = signer();
  for (const source of controller.sources) await source.confirm?.();
  expect([maps.confirmed.times, secrets.confirmed.times]).toEqual([1, 1]);
});

test('signs with each token that has not expired, and takes other signatures away', async () => {
  tokens
    .set('a', token('aaaaaa', NOW + 5))
    .set('b', token('bbbbbb'))
    .set('c', token('cccccc', NOW));
  configMaps.set('kube-public/cluster-info', {
    data: { kubeconfig: 'text', other: 'stays', 'jws-kubeconfig-dddddd': 'x' },
  });
  const { controller } = signer();
  expect(await controller.reconcile('', RUN)).toBe(6);
  expect(updates).toEqual([
    {
      data: {
        ...{ kubeconfig: 'text', other: 'stays' },
        'jws-kubeconfig-aaaaaa': detachedSignature('text', 'aaaaaa', 's'),
        'jws-kubeconfig-bbbbbb': detachedSignature('text', 'bbbbbb', 's'),
      },
    },
  ]);
  await controller.reconcile('', RUN);
  expect(updates).toHaveLength(1);
});

test('writes nothing while a token cannot be read', async () => {
  configMaps.set('kube-public/cluster-info', { data: { kubeconfig: 'text', 'jws-kubeconfig-dddddd': 'x' } });
  isComplete = false;
  const { controller } = signer();
  await controller.reconcile('', RUN);
  expect(updates).toEqual([]);
});

test.each([
  ['without a kubeconfig', { data: { other: 'x' } }],
  ['that is not there', undefined],
])('a ConfigMap %s is left alone', async (_, configMap) => {
  if (configMap) configMaps.set('kube-public/cluster-info', configMap);
  else configMaps.clear();
  tokens.set('a', token('aaaaaa'));
  const { controller } = signer();
  expect(await controller.reconcile('', RUN)).toBeUndefined();
  expect(updates).toEqual([]);
});
