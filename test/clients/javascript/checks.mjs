// Checks of the JavaScript client against a server; see ../client-program.ts for what is printed.
// Usage: node checks.mjs KUBECONFIG, with the folder of the client in NODE_CLIENT.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { connectingChecks } from './connecting.mjs';
import { readingChecks } from './reading.mjs';

const resolved = createRequire(`${process.env.NODE_CLIENT}/`).resolve('@kubernetes/client-node');
const k8s = await import(pathToFileURL(resolved).href);

const NAMESPACE = 'default';
const WAIT_MS = 30_000;
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const generic = k8s.KubernetesObjectApi.makeApiClient(config);

const configMap = (name, data = {}, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE, labels },
  data,
});
const create = (body) => core.createNamespacedConfigMap({ namespace: NAMESPACE, body });
const read = (name) => core.readNamespacedConfigMap({ namespace: NAMESPACE, name });
const remove = (name) => core.deleteNamespacedConfigMap({ namespace: NAMESPACE, name });
const list = (query = {}) => core.listNamespacedConfigMap({ namespace: NAMESPACE, ...query });
const patched = (name, type, body) =>
  core.patchNamespacedConfigMap(
    { namespace: NAMESPACE, name, body },
    k8s.setHeaderOptions('Content-Type', `application/${type}-patch+json`),
  );
const container = { name: 'web', image: 'web:1' };
const deployment = (name) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
  },
});

/** The Status of a call that must be refused. */
async function refusal(code, reason, call) {
  const error = await call.then(
    () => assert.fail(`${code} ${reason} was expected`),
    (error) => error,
  );
  assert.equal(error.code, code, String(error));
  const status = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
  assert.deepEqual([status.kind, status.reason], ['Status', reason]);
  return status;
}

async function waitUntil(what, holds) {
  for (const deadline = Date.now() + WAIT_MS; !holds(); ) {
    assert.ok(Date.now() < deadline, `not within ${WAIT_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Repeats a call whose pooled connection may have been cut by the restart. */
async function afterRestart(call) {
  try {
    return await call();
  } catch (error) {
    if (error instanceof k8s.ApiException) throw error;
    return call();
  }
}

async function restart() {
  console.log(JSON.stringify({ restart: true }));
  await once(process.stdin, 'data');
}

/** The events of a watch until it ends. */
async function watched(path, query) {
  const events = [];
  const watch = new k8s.Watch(config);
  const error = await new Promise((resolve, reject) => {
    watch.watch(path, query, (type, object) => events.push([type, object]), resolve).catch(reject);
  });
  return { events, error };
}

const CHECKS = {
  ...readingChecks({ k8s, config, generic, namespace: NAMESPACE }),

  async 'create, get, list, update, delete'() {
    const made = await create(configMap('a', { a: '1' }, { of: 'verbs' }));
    assert.ok(made.metadata.uid && made.metadata.creationTimestamp instanceof Date);
    assert.deepEqual(await read('a'), made);
    const { items } = await list({ labelSelector: 'of=verbs' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['a'],
    );
    const body = { ...made, data: { b: '2' } };
    const updated = await core.replaceNamespacedConfigMap({ namespace: NAMESPACE, name: 'a', body });
    assert.deepEqual(updated.data, { b: '2' });
    assert.equal((await remove('a')).status, 'Success');
  },

  async 'errors have their codes and reasons'() {
    const made = await create(configMap('e', { a: '1' }));
    const status = await refusal(409, 'AlreadyExists', create(configMap('e')));
    assert.deepEqual(status.details, { name: 'e', kind: 'configmaps' });
    await patched('e', 'merge', { data: { a: '2' } });
    const stale = { namespace: NAMESPACE, name: 'e', body: made };
    await refusal(409, 'Conflict', core.replaceNamespacedConfigMap(stale));
    await refusal(404, 'NotFound', read('none'));
    const invalid = await refusal(422, 'Invalid', create(configMap('No_Name')));
    assert.equal(invalid.details.causes[0].field, 'metadata.name');
  },

  async 'patches: JSON, merge, strategic merge'() {
    await create(configMap('p', { a: '1' }));
    const steps = [
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'remove', path: '/data/a' },
    ];
    // A patch without a header goes as a JSON patch.
    const first = await core.patchNamespacedConfigMap({ namespace: NAMESPACE, name: 'p', body: steps });
    assert.deepEqual(first.data, { b: '2' });
    assert.deepEqual((await patched('p', 'merge', { data: { b: null, c: '3' } })).data, { c: '3' });
    await apps.createNamespacedDeployment({ namespace: NAMESPACE, body: deployment('p') });
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } };
    const merged = await apps.patchNamespacedDeployment(
      { namespace: NAMESPACE, name: 'p', body: sidecar },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.StrategicMergePatch),
    );
    assert.deepEqual(merged.spec.template.spec.containers.map(({ name }) => name).sort(), ['side', 'web']);
  },

  async 'delete answers with the type that the client expects'() {
    const metadata = { name: 'typed' };
    await core.createNamespacedPod({ namespace: NAMESPACE, body: { metadata, spec: { containers: [container] } } });
    const pod = await core.deleteNamespacedPod({ namespace: NAMESPACE, name: 'typed', gracePeriodSeconds: 0 });
    assert.deepEqual([pod.kind, pod.metadata.name], ['Pod', 'typed']);
    await core.createNamespacedService({ namespace: NAMESPACE, body: { metadata, spec: { ports: [{ port: 80 }] } } });
    const service = await core.deleteNamespacedService({ namespace: NAMESPACE, name: 'typed' });
    assert.deepEqual([service.kind, service.spec.ports[0].port], ['Service', 80]);
  },

  async 'a list in pages'() {
    const names = Array.from({ length: 7 }, (_, index) => `page-${index}`);
    for (const name of names) await create(configMap(name, {}, { of: 'pages' }));
    const found = [];
    let page;
    do {
      page = await list({ labelSelector: 'of=pages', limit: 3, _continue: page?.metadata._continue });
      found.push(...page.items.map(({ metadata }) => metadata.name));
    } while (page.metadata._continue);
    assert.deepEqual(found, names);
    await core.deleteCollectionNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: 'of=pages' });
    assert.deepEqual((await list({ labelSelector: 'of=pages' })).items, []);
  },

  async 'objects of any kind, found by discovery'() {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'g', namespace: NAMESPACE },
      spec: { holderIdentity: 'me' },
    };
    assert.equal((await generic.create(lease)).spec.holderIdentity, 'me');
    const change = { ...lease, spec: { holderIdentity: 'you' } };
    const strategy = k8s.PatchStrategy.MergePatch;
    await generic.patch(change, undefined, undefined, undefined, undefined, strategy);
    assert.equal((await generic.read(lease)).spec.holderIdentity, 'you');
    const { items } = await generic.list('coordination.k8s.io/v1', 'Lease', NAMESPACE);
    assert.equal(items.length, 1);
    assert.equal((await generic.delete(lease)).status, 'Success');
  },

  async 'a watch goes on from a version'() {
    const { metadata } = await list();
    const made = await create(configMap('w', { a: '1' }));
    await patched('w', 'merge', { data: { a: '2' } });
    await remove('w');
    const types = async (resourceVersion) => {
      const { events, error } = await watched(PATH, { resourceVersion, timeoutSeconds: 1 });
      // The end in order.
      assert.equal(error, null);
      return events.map(([type]) => type);
    };
    assert.deepEqual(await types(metadata.resourceVersion), ['ADDED', 'MODIFIED', 'DELETED']);
    assert.deepEqual(await types(made.metadata.resourceVersion), ['MODIFIED', 'DELETED']);
  },

  async 'a watch from an expired version is 410'() {
    const { events, error } = await watched(PATH, { resourceVersion: '1' });
    assert.equal(error.statusCode, 410, String(error));
    assert.deepEqual(events, []);
  },

  async 'an informer goes on when the server was killed'() {
    const informer = k8s.makeInformer(config, PATH, () => list());
    const lost = [];
    const seen = new Map();
    const note = (object) => seen.set(object.metadata.name, object.data);
    informer.on('add', note);
    informer.on('update', note);
    informer.on('delete', ({ metadata }) => lost.push(metadata.name));
    // What the client's documentation tells users to do.
    informer.on('error', () => setTimeout(() => informer.start().catch(() => {}), 200));
    const first = await create(configMap('i-first', { a: '1' }));
    await informer.start();
    assert.ok(informer.get('i-first', NAMESPACE));
    await patched('i-first', 'merge', { data: { a: '2' } });
    await waitUntil('a change is seen', () => seen.get('i-first')?.a === '2');
    await restart();
    await afterRestart(() => create(configMap('i-after')));
    await remove('i-first');
    await waitUntil('changes after it are seen', () => seen.has('i-after') && lost.includes('i-first'));
    const versions = (objects) => objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
    assert.deepEqual(versions(informer.list(NAMESPACE)), versions((await list()).items));
    assert.notEqual(first.metadata.uid, undefined);
    await informer.stop();
  },

  ...connectingChecks({ k8s, config, core, namespace: NAMESPACE }),
};

for (const [check, run] of Object.entries(CHECKS)) {
  const error = await run().then(
    () => null,
    (error) => error.stack ?? String(error),
  );
  console.log(JSON.stringify({ check, error }));
}
process.exit(0);
