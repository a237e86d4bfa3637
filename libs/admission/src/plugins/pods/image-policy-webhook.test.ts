import { answer, ScriptedServer } from '@orch/client/testing';
import { namesOf } from '@orch/machinery';
import { ReviewWebhook } from '@orch/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../../attributes.js';
import type { AdmissionPlugin, PluginContext } from '../../plugin.js';
import { attributesOf, pluginOf, refusalOf } from '../../testing/asking.js';
import { readImagePolicy } from './image-policy-configuration.js';

const POD = 'pods "a" is forbidden:';
let server: ScriptedServer;
let opened: AdmissionPlugin[];
let notes: Record<string, string>;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  [opened, notes] = [[], {}];
  server.requests.length = 0;
});
afterEach(async () => {
  for (const plugin of opened) await plugin.close?.();
});

const config = (members: object = {}) => ({ imagePolicy: { kubeConfigFile: 'file', retryBackoff: 1, ...members } });

async function open(configuration = config(), context: Partial<PluginContext> = {}): Promise<AdmissionPlugin> {
  const { connection } = server;
  const openReviews: PluginContext['openReviews'] = async (file, settings) => {
    expect(file).toBe('file');
    return new ReviewWebhook({ connection: { ...connection, server: `${connection.server}/images` }, ...settings });
  };
  const plugin = pluginOf('ImagePolicyWebhook', { configuration, openReviews, ...context });
  await plugin.start?.();
  opened.push(plugin);
  return plugin;
}

const says = (status: object) => {
  server.script = ({ body }, response) => {
    const { apiVersion, kind } = JSON.parse(body);
    answer(response, 200, { apiVersion, kind, status });
  };
};

const ask = (plugin: AdmissionPlugin, changed: Partial<Attributes> = {}): Promise<string | undefined> =>
  refusalOf(
    plugin,
    attributesOf({
      object: {
        metadata: { name: 'a', annotations: { 'x.image-policy.k8s.io/ticket': '1', other: '2' } },
        spec: {
          initContainers: [{ image: 'first' }],
          containers: [{ image: 'main' }],
          ephemeralContainers: [{ image: 'debug' }],
        },
      },
      annotate: (key, value) => {
        notes[key] = value;
      },
      ...changed,
    }),
  );

const asked = () => server.requests.map(({ body }) => JSON.parse(body));

describe('the webhook', () => {
  it('is asked about images, annotations that are meant for it and the namespace', async () => {
    says({ allowed: true });
    expect(await ask(await open())).toBeUndefined();
    expect(server.requests).toMatchObject([{ method: 'POST', url: { pathname: '/images' } }]);
    expect(asked()).toEqual([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: { creationTimestamp: null },
        spec: {
          containers: [{ image: 'main' }, { image: 'first' }],
          annotations: { 'x.image-policy.k8s.io/ticket': '1' },
          namespace: 'default',
        },
        status: { allowed: false },
      },
    ]);
  });

  it('is asked about containers that are added, and nothing else', async () => {
    says({ allowed: true });
    const plugin = await open();
    await ask(plugin, { operation: 'UPDATE', subresource: 'ephemeralcontainers' });
    await ask(plugin, { operation: 'UPDATE', subresource: 'status' });
    expect(asked().map(({ spec }) => spec.containers)).toEqual([[{ image: 'debug' }]]);
  });

  it('is asked by the names of the profile', async () => {
    says({ allowed: true });
    await ask(await open(config(), { names: namesOf('orch') }), {
      object: { metadata: { name: 'a', annotations: { 'x.image-policy.orch.io/y': '1' } }, spec: {} },
    });
    expect(asked()).toMatchObject([
      { apiVersion: 'imagepolicy.orch.io/v1alpha1', spec: { annotations: { 'x.image-policy.orch.io/y': '1' } } },
    ]);
  });

  it('refuses, with a reason or without, and has things noted', async () => {
    says({ allowed: false, reason: 'unsigned', auditAnnotations: { 'audit-required': 'true', n: 1 } });
    const plugin = await open();
    expect(await ask(plugin)).toBe(`${POD} image policy webhook backend denied one or more images: unsigned`);
    expect(notes).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/audit-required': 'true' });
    says({});
    expect(await ask(plugin, { namespace: 'other' })).toBe(`${POD} one or more images rejected by webhook backend`);
  });

  it.each<[string, object, boolean, number]>([
    ['allowed', { allowTTL: 60 }, true, 1],
    ['allowed and not kept', { allowTTL: -1 }, true, 2],
    ['refused', { denyTTL: 60 }, false, 1],
    ['refused and not kept', { denyTTL: -1 }, false, 2],
  ])('is not asked again for a while about what it has %s', async (_, members, allowed, times) => {
    says({ allowed });
    const plugin = await open(config(members));
    const first = await ask(plugin);
    expect(await ask(plugin)).toBe(first);
    expect(server.requests).toHaveLength(times);
  });

  it('that does not answer lets nothing in, after some tries, unless it is to', async () => {
    server.script = (_, response) => answer(response, 500, {});
    expect(await ask(await open())).toMatch(
      /^pods "a" is forbidden: Post "https:.*\/images": the server answered 500$/,
    );
    expect(server.requests).toHaveLength(5);
    expect(notes).toEqual({});
    const plugin = await open(config({ defaultAllow: true }));
    expect(await ask(plugin)).toBeUndefined();
    expect(notes).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' });
    says({ allowed: false });
    expect(await ask(plugin)).toContain('rejected');
  });

  it('that answers with something else has not answered', async () => {
    server.script = (_, response) => answer(response, 200, { kind: 'TokenReview', apiVersion: 'v1' });
    expect(await ask(await open())).toContain('did not answer with an ImageReview of imagepolicy.k8s.io/v1alpha1');
  });

  it('that cannot be opened keeps the process from starting', async () => {
    const openReviews = () => Promise.reject(new Error('no such file'));
    await expect(open(config(), { openReviews })).rejects.toThrow('no such file');
  });
});

describe('its configuration', () => {
  it('has the defaults of the reference', () => {
    expect(readImagePolicy({ imagePolicy: { kubeConfigFile: 'f' } })).toEqual({
      ...{ kubeConfigFile: 'f', allowTtlMs: 300_000, denyTtlMs: 30_000, retryBackoffMs: 500, defaultAllow: false },
    });
    expect(readImagePolicy(config({ allowTTL: 5, denyTTL: 7, retryBackoff: -1, defaultAllow: true }))).toEqual({
      ...{ kubeConfigFile: 'file', allowTtlMs: 5_000, denyTtlMs: 7_000, retryBackoffMs: 0, defaultAllow: true },
    });
  });

  it.each<[unknown, string]>([
    [undefined, 'no config specified'],
    [{ imagePolicy: {} }, 'kubeConfigFile is missing'],
    [config({ allowTTL: 3600 }), 'valid value is between 1s and 30m0s, got 1h0m0s'],
    [config({ denyTTL: -2 }), 'valid value is between 1s and 30m0s, got -2s'],
    [config({ retryBackoff: 300_001 }), 'valid value is between 1ns and 5m0s, got 5m0.001s'],
    [config({ allowTTL: '5' }), '"5" is not a whole number'],
  ])('is refused: %j', (value, message) => {
    expect(() => readImagePolicy(value)).toThrow(message);
  });
});
