import type { ApiObject, JsonObject, JsonValue } from '@orch/machinery';
import { describe, expect, it, test } from 'vitest';
import { Admission } from '../admission.js';
import type { Attributes } from '../attributes.js';
import type { AdmissionPlugin } from '../plugin.js';
import { attributesOf, pluginContext, TestObjects, targetOf } from '../testing/index.js';
import { mutatingWebhooks } from './mutating-webhooks.js';
import { validatingWebhooks } from './validating-webhooks.js';
import {
  type Exemptions,
  NoAnswer,
  type ObservedCall,
  type ReviewCall,
  type ReviewedForms,
  type WebhookState,
  type WebhookTrust,
} from './webhook-services.js';

const GROUP = 'admissionregistration.orch.io';
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' } };

type Say = (request: JsonObject) => JsonObject | Promise<JsonObject>;

/** Both plugins with webhooks that are functions, by their names. A patch is `base64(JSON)` of what is put over the object. */
function rig(hooks: readonly object[], say: Record<string, Say> = {}, exempt: Partial<Exemptions> = {}) {
  const objects = new TestObjects().put('', 'namespaces', {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { env: 'test' } } },
  });
  const calls: string[] = [];
  const observed: Partial<ObservedCall>[] = [];
  const noted: string[] = [];
  let states: () => readonly WebhookState[] = () => [];
  let trusted: () => readonly WebhookTrust[] = () => [];
  const forms: ReviewedForms = {
    served: 1,
    own: ({ group, version, resource, kind }) => ({
      resource: { group, version, resource },
      kind: { group, version, kind },
    }),
    equivalents: () => [],
    sent: async (object) => object,
    patched: async (sent, patch) => {
      const operations = JSON.parse(patch.toString()) as JsonValue;
      const object = { ...sent, ...(operations as object) } as ApiObject;
      return {
        object,
        changed: JSON.stringify(object) !== JSON.stringify(sent),
        operations: () => JSON.stringify(operations),
      };
    },
    take: async (object, made) => void Object.assign(object, made),
  };
  const client = {
    async ask({ config, review }: ReviewCall): Promise<JsonValue> {
      const name = config.url ?? '';
      calls.push(name);
      const request = review.request as JsonObject;
      const answer = await (say[name] ?? (() => ({})))(request);
      return { ...review, response: { uid: request.uid ?? '', allowed: true, ...answer } };
    },
  };
  const context = pluginContext({
    objects,
    webhooks: () => ({
      forms,
      client,
      observer: {
        called: ({ milliseconds: _ms, ...call }) => void observed.push(call),
        failedOpen: (webhook, type) => void noted.push(`open ${webhook} ${type}`),
        conditionFailed: (webhook, type) => void noted.push(`condition ${webhook} ${type}`),
        notAsked: (webhook, type) => void noted.push(`not asked ${webhook} ${type}`),
      },
      mostHangingCalls: 5,
      exempt: { namespaces: new Set(), groups: new Set(), ...exempt },
      show: (told, believed) => {
        states = told;
        trusted = believed;
      },
    }),
  });
  const webhooks = hooks.map((hook) => ({
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
    ...{ admissionReviewVersions: ['v1'], sideEffects: 'None', namespaceSelector: {}, objectSelector: {} },
    clientConfig: { url: (hook as { name: string }).name },
    ...hook,
  }));
  const plugins = { mutating: mutatingWebhooks(context), validating: validatingWebhooks(context) };
  const put = (name: string, its: readonly object[]) => {
    for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
      objects.put(GROUP, resource, { apiVersion: 'v1', kind: 'X', metadata: { name }, webhooks: its } as never);
  };
  put('c', webhooks);
  return { ...plugins, objects, calls, observed, noted, put, states: () => states(), trusted: () => trusted() };
}

/** Attributes that write down what is noted. */
function asked(changed: Partial<Attributes> = {}) {
  const annotations: Record<string, string> = {};
  const warnings: string[] = [];
  let reinvoked = false;
  const attributes = attributesOf({
    object: structuredClone(POD) as unknown as ApiObject,
    annotate: (key, value) => void Object.assign(annotations, { [key]: value }),
    annotateBody: (key, text) => void Object.assign(annotations, { [key]: text() }),
    warn: (text) => void warnings.push(text),
    reinvoke: () => {
      reinvoked = true;
    },
    ...changed,
  });
  return { attributes, annotations, warnings, wasReinvoked: () => reinvoked };
}

const patch = (over: object): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(over)).toString('base64'),
});

test('whoever has just labelled a namespace through this process is asked about by its new labels', () => {
  const { mutating, validating, objects } = rig([{ name: 'a', namespaceSelector: { matchLabels: { env: 'prod' } } }]);
  const handle = () => [mutating, validating].map((plugin) => plugin.handles(targetOf({})));
  expect(handle()).toEqual([false, false]);
  Object.assign(objects.follow({ group: '', resource: 'namespaces' }), { isBehind: true });
  expect(handle()).toEqual([true, true]);
});

test('only requests that some webhook means are asked outside', () => {
  const { mutating, validating } = rig([{ name: 'a', namespaceSelector: { matchLabels: { env: 'test' } } }]);
  const admission = new Admission([mutating, validating]);
  const callsOut = (changed: Parameters<typeof targetOf>[0]) => admission.select(() => targetOf(changed)).callsOut;
  expect(callsOut({})).toBe(true);
  expect(callsOut({ operation: 'UPDATE' })).toBe(false);
  expect(callsOut({ resource: 'configmaps' })).toBe(false);
  expect(callsOut({ subresource: 'status' })).toBe(false);
  expect(callsOut({ namespace: 'elsewhere' })).toBe(true);
});

test('a namespace whose labels rule all webhooks out is asked nowhere', () => {
  const { mutating } = rig([{ name: 'a', namespaceSelector: { matchLabels: { env: 'prod' } } }]);
  expect(mutating.handles(targetOf({}))).toBe(false);
});

test('configurations that change hold from then on', () => {
  const { mutating, put } = rig([{ name: 'a' }]);
  expect(mutating.handles(targetOf({}))).toBe(true);
  put('c', []);
  expect(mutating.handles(targetOf({}))).toBe(false);
});

test('what webhooks change and whom they are is noted for the audit log', async () => {
  const { mutating } = rig([{ name: 'a.b.c' }, { name: 'd.e.f' }], {
    'd.e.f': () => ({ ...patch({ spec: {} }), auditAnnotations: { k: 'v', 'no key': 'w' } }),
  });
  const { attributes, annotations, wasReinvoked } = asked();
  await mutating.admit?.(attributes);
  expect(attributes.object).toEqual({ ...POD, spec: {} });
  expect(wasReinvoked()).toBe(true);
  expect(annotations).toEqual({
    'd.e.f/k': 'v',
    'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"c","webhook":"a.b.c","mutated":false}',
    'mutation.webhook.admission.k8s.io/round_0_index_1': '{"configuration":"c","webhook":"d.e.f","mutated":true}',
    'patch.webhook.admission.k8s.io/round_0_index_1':
      '{"configuration":"c","webhook":"d.e.f","patch":{"spec":{}},"patchType":"JSONPatch"}',
  });
});

test('what built-in plugins change behind them has those asked again that want to be', async () => {
  const { mutating, calls } = rig([{ name: 'again', reinvocationPolicy: 'IfNeeded' }, { name: 'once' }]);
  const { attributes } = asked();
  await mutating.admit?.(attributes);
  Object.defineProperty(attributes, 'isReinvocation', { value: true });
  await mutating.admit?.(attributes);
  expect(calls).toEqual(['again', 'once']);
  (attributes.object as { spec?: object }).spec = { changed: true };
  await mutating.admit?.(attributes);
  expect(calls).toEqual(['again', 'once', 'again']);
});

const down: Say = () => Promise.reject(new NoAnswer('Post "https://x/": connect ECONNREFUSED'));

test.each(['mutating', 'validating'] as const)('a failure that may be is told: %s', async (phase) => {
  const { observed, noted, ...plugins } = rig([{ name: 'a', failurePolicy: 'Ignore' }], { a: down });
  const { attributes, annotations } = asked();
  const type = phase === 'mutating' ? 'admit' : 'validating';
  const prefix = phase === 'mutating' ? 'mutation' : 'validating';
  await run(plugins[phase], attributes);
  expect(annotations).toMatchObject({ [`failed-open.${prefix}.webhook.admission.k8s.io/round_0_index_0`]: 'a' });
  expect(noted).toEqual([`open a ${type}`]);
  expect(observed).toEqual([{ webhook: 'a', type, operation: 'CREATE', code: 400, rejected: false }]);
});

const run = async (plugin: AdmissionPlugin, attributes: Attributes) => {
  await plugin.admit?.(attributes);
  await plugin.validate?.(attributes);
};

test('a failure that may not be refuses, and is counted as one of the call', async () => {
  const { observed, validating } = rig([{ name: 'a' }], { a: down });
  await expect(run(validating, asked().attributes)).rejects.toMatchObject({
    status: {
      code: 500,
      reason: 'InternalError',
      message:
        'Internal error occurred: failed calling webhook "a": failed to call webhook: Post "https://x/": connect ECONNREFUSED',
    },
  });
  expect(observed).toMatchObject([{ rejected: true, error: 'calling_webhook_error', code: 400 }]);
});

test('a denial is counted under its code', async () => {
  const { observed, validating } = rig([{ name: 'a' }], { a: () => ({ allowed: false, status: { code: 409 } }) });
  await expect(run(validating, asked().attributes)).rejects.toMatchObject({ status: { code: 409 } });
  expect(observed).toMatchObject([{ rejected: true, error: 'no_error', code: 409 }]);
});

test('a webhook that cannot be reached is asked again at once, however often', async () => {
  const { validating, calls, noted, states } = rig([{ name: 'a' }], { a: down });
  for (let i = 0; i < 20; i++)
    await expect(run(validating, asked().attributes)).rejects.toThrow('connect ECONNREFUSED');
  expect(calls).toHaveLength(20);
  expect(noted).toEqual([]);
  expect(states()).toMatchObject([
    { configuration: 'c', webhook: 'a', type: 'validating', failurePolicy: 'Fail', hanging: 0, isFull: false },
  ]);
  expect(states()[0]?.lastFailure).toContain('connect ECONNREFUSED');
});

describe('a webhook of which as many calls hang as may', () => {
  const USERS = ['a', 'b', 'c', 'd', 'e'];
  const from = (name: string) => asked({ user: { name, groups: [], extra: {} } }).attributes;

  /** One call of each user that has no answer until `release`; all of its time is over at once. */
  function hanging(failurePolicy: 'Fail' | 'Ignore', users: readonly string[] = USERS) {
    let release = () => {};
    const held = new Promise<JsonObject>((resolve) => {
      release = () => resolve({});
    });
    const rigged = rig([{ name: 'a', failurePolicy, timeoutSeconds: 0 }], { a: () => held });
    const under = users.map((user) => run(rigged.validating, from(user)));
    const released = async () => {
      release();
      await Promise.all(under);
    };
    return { ...rigged, release: released };
  }

  it('is asked one thing at a time for each user, until it answers', async () => {
    const { validating, calls, noted, states, release } = hanging('Fail');
    await expect.poll(() => calls.length).toBe(5);
    expect(states()).toMatchObject([{ hanging: 5, isFull: true }]);
    await expect(run(validating, from('a'))).rejects.toThrow('not called: 5 calls of it hang');
    expect(noted).toEqual(['not asked a validating']);
    const other = run(validating, from('f'));
    await expect.poll(() => calls.length).toBe(6);
    await release();
    await other;
    await run(validating, from('a'));
    expect(calls).toHaveLength(7);
    expect(states()).toMatchObject([{ hanging: 0, isFull: false }]);
  });

  it('is asked always where it fails open: nobody gets past it by that', async () => {
    const { validating, calls, noted, release } = hanging('Ignore');
    await expect.poll(() => calls.length).toBe(5);
    const again = USERS.map((user) => run(validating, from(user)));
    await expect.poll(() => calls.length).toBe(10);
    await release();
    await Promise.all(again);
    expect(noted).toEqual([]);
  });

  it('is asked always where one user has made it hang', async () => {
    const { validating, calls, release } = hanging('Fail', Array(50).fill('a'));
    await expect.poll(() => calls.length).toBe(50);
    const again = ['a', 'b'].map((user) => run(validating, from(user)));
    await expect.poll(() => calls.length).toBe(52);
    await release();
    await Promise.all(again);
  });
});

test('one that answers with an error is there', async () => {
  const { validating, calls } = rig([{ name: 'a' }], { a: () => Promise.reject(new NoAnswer('broken', 500)) });
  for (let i = 0; i < 4; i++) await expect(run(validating, asked().attributes)).rejects.toThrow('broken');
  expect(calls).toHaveLength(4);
});

test.each(['Fail', 'Ignore'])('a patch that is not base64 is no answer (%s)', async (failurePolicy) => {
  const bad = { patchType: 'JSONPatch', patch: `${patch({ more: true }).patch}!` };
  const { mutating, observed } = rig([{ name: 'a', failurePolicy }], { a: () => bad });
  const { attributes } = asked();
  const done = mutating.admit?.(attributes);
  if (failurePolicy === 'Ignore') await done;
  else await expect(done).rejects.toThrow(/failed to call webhook: illegal base64 data at input byte \d+$/);
  expect(attributes.object).toEqual(POD);
  expect(observed).toMatchObject([{ code: 400, rejected: failurePolicy === 'Fail' }]);
});

test('all validating webhooks are asked at the same time', async () => {
  let waiting = 0;
  let release: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const meet: Say = async () => {
    if (++waiting === 3) release();
    await all;
    return {};
  };
  const { validating } = rig([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { a: meet, b: meet, c: meet });
  await run(validating, asked().attributes);
  expect(waiting).toBe(3);
});

test('a request without time left is refused with 504 rather than let through', async () => {
  const { mutating, validating } = rig([{ name: 'a', failurePolicy: 'Ignore' }]);
  for (const plugin of [mutating, validating])
    await expect(run(plugin, asked({ deadline: 0 }).attributes)).rejects.toMatchObject({ status: { code: 504 } });
});

test('what a short time-out of a request ends says nothing about the webhook, also where its timer is early', async () => {
  const late: Say = () => Promise.reject(new NoAnswer('Post "https://x/": context deadline exceeded'));
  const { validating, calls, states } = rig([{ name: 'a', failurePolicy: 'Ignore' }], { a: late });
  for (let i = 0; i < 4; i++) {
    const { attributes } = asked({ deadline: performance.now() + 100 });
    await expect(run(validating, attributes)).rejects.toMatchObject({ status: { code: 504 } });
  }
  expect(calls).toHaveLength(4);
  expect(states()).toMatchObject([{ hanging: 0, isFull: false, lastFailure: '' }]);
});

test('a dry run is refused where the webhook may have effects, whatever its failure policy', async () => {
  const { validating, calls } = rig([{ name: 'a', sideEffects: 'Some', failurePolicy: 'Ignore' }]);
  await expect(run(validating, asked({ options: { dryRun: true } }).attributes)).rejects.toMatchObject({
    status: { code: 400, message: 'admission webhook "a" does not support dry run' },
  });
  expect(calls).toEqual([]);
});

test('exempt namespaces and groups are not asked about', async () => {
  const { mutating, calls } = rig(
    [{ name: 'a' }],
    {},
    { namespaces: new Set(['kube-system']), groups: new Set(['g']) },
  );
  expect(mutating.handles(targetOf({ namespace: 'kube-system' }))).toBe(false);
  await run(mutating, asked({ user: { name: 'u', groups: ['g'], extra: {} } }).attributes);
  expect(calls).toEqual([]);
});

test('whoever passes by webhooks is noted with those that were not asked', async () => {
  const { mutating, calls } = rig([{ name: 'a' }, { name: 'b' }]);
  const { attributes, annotations, warnings } = asked({ skipsWebhooks: true });
  await run(mutating, attributes);
  expect(calls).toEqual([]);
  expect(annotations).toEqual({ 'mutating.webhook.admission.k8s.io/skipped': 'a,b' });
  expect(warnings).toHaveLength(1);
});

test('configurations of webhooks and policies are asked about nowhere', () => {
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }];
  const { validating } = rig([{ name: 'a', rules }]);
  const group = 'admissionregistration.k8s.io';
  for (const resource of ['mutatingwebhookconfigurations', 'validatingadmissionpolicybindings'])
    expect(validating.handles(targetOf({ group, resource, namespace: '' }))).toBe(false);
});

test('conditions that cannot be evaluated refuse or pass by, and are counted', async () => {
  const matchConditions = [{ name: 'c', expression: 'object.spec.none == 1' }];
  const { validating, noted, calls } = rig([
    { name: 'a', matchConditions },
    { name: 'b', matchConditions, failurePolicy: 'Ignore' },
  ]);
  await expect(run(validating, asked().attributes)).rejects.toMatchObject({
    status: { code: 403, reason: 'Forbidden' },
  });
  expect(noted).toEqual(['condition a validating']);
  expect(calls).toEqual([]);
});

test('an answer is told as far as anybody wants to hear of it', async () => {
  const texts = Array.from({ length: 5_000 }, (_, i) => `${i}${'x'.repeat(1_000)}`);
  const long = 'y'.repeat(1 << 20);
  const { validating } = rig([{ name: 'a' }], {
    a: () => ({
      allowed: false,
      warnings: texts,
      auditAnnotations: { long, ...Object.fromEntries(texts.map((text, i) => [`k${i}`, text])) },
      status: { message: long },
    }),
  });
  const { attributes, annotations, warnings } = asked();
  const refusal = await run(validating, attributes).catch((error: Error) => error);
  expect(refusal?.message.length).toBeLessThan(70_000);
  expect(warnings).toHaveLength(100);
  expect(Object.keys(annotations)).toHaveLength(100);
  expect(annotations['a/long']).toHaveLength(16 << 10);
});

test('a configuration that cannot be read may be about whatever is written', async () => {
  const { mutating, validating, objects, calls } = rig([]);
  const lack = new Error('unable to read configurations');
  const ask = async (changed: Partial<Attributes> = {}) => {
    const attributes = attributesOf({ object: POD as unknown as ApiObject, ...changed });
    if (mutating.handles(attributes)) await mutating.admit?.(attributes);
    if (validating.handles(attributes)) await validating.validate?.(attributes);
  };
  const own = { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations', namespace: '' };
  for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    await ask();
    objects.setUnreadable(GROUP, resource, lack);
    await expect(ask()).rejects.toBe(lack);
    // What would put it right, and who goes past webhooks, is not kept from anything.
    await ask(own);
    await ask({ skipsWebhooks: true });
    objects.setUnreadable(GROUP, resource, undefined);
  }
  expect(calls).toEqual([]);
});

test('authorities of webhooks are told as they are configured now', () => {
  const bundle = (pem: string) => ({ url: 'https://a', caBundle: Buffer.from(pem).toString('base64') });
  const { put, trusted } = rig([{ name: 'a', clientConfig: bundle('one') }, { name: 'b' }], {});
  expect(trusted()).toEqual([{ object: 'validatingwebhookconfigurations/c/a', pem: 'one' }]);
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }];
  put('c', [{ name: 'a', rules, clientConfig: bundle('other') }]);
  expect(trusted()).toEqual([{ object: 'validatingwebhookconfigurations/c/a', pem: 'other' }]);
});
