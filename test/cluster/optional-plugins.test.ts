import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '@orch/client';
import { answer, ScriptedServer } from '@orch/client/testing';
import { openRedisRates, type Rate } from '@orch/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, type ManagedProcess, redisServer } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const CONFIG = 'admission.k8s.io/v1alpha1';
const PLUGINS = [
  ...['AlwaysPullImages', 'DenyServiceExternalIPs', 'EventRateLimit', 'ImagePolicyWebhook', 'NamespaceAutoProvision'],
  ...['NamespaceExists', 'NodeRestriction', 'OwnerReferencesPermissionEnforcement', 'PodNodeSelector'],
  ...['PodTolerationRestriction', 'ExtendedResourceToleration', 'LimitPodHardAntiAffinityTopology'],
];
/** Period in seconds that does not end during a test. */
const DAY = 86_400;

/** A server with optional admission plugins, a Redis and a webhook for images. */
describe('optional admission plugins', () => {
  let [dir, redisUrl] = ['', ''];
  let redis: ManagedProcess;
  let images: ScriptedServer;
  let server: Standalone;
  let api: Api;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-plugins-'));
    const port = await freePort();
    redisUrl = `redis://127.0.0.1:${port}`;
    redis = await redisServer({ dir, port, detached: false }).start();
    images = await ScriptedServer.start();
    images.script = ({ body }, response) => {
      const { apiVersion, kind, spec } = JSON.parse(body);
      const allowed = !JSON.stringify(spec).includes('evil');
      answer(response, 200, { apiVersion, kind, status: { allowed, ...(!allowed && { reason: 'evil' }) } });
    };
    const [kubeConfigFile, keyFile, file] = ['images', 'key', 'config.yaml'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    await writeKubeconfig(kubeConfigFile, images.connection);
    writeFileSync(keyFile, SECRET);
    const plugin = (name: string, configuration: object) => ({ name, configuration });
    const limits = [
      { type: 'Server', qps: 1_000_000, burst: 1_000_000 },
      { type: 'SourceAndObject', qps: 1, burst: 1 },
    ];
    const plugins = [
      plugin('ImagePolicyWebhook', { imagePolicy: { kubeConfigFile } }),
      plugin('EventRateLimit', { apiVersion: `eventratelimit.${CONFIG}`, kind: 'Configuration', limits }),
      plugin('PodNodeSelector', { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=b' } }),
    ];
    const kind = 'AdmissionConfiguration';
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, plugins }));
    server = await startStandalone({
      args: [
        `--enable-admission-plugins=${PLUGINS.join(',')}`,
        `--admission-control-config-file=${file}`,
        ...[`--redis-url=${redisUrl}`, `--redis-key-file=${keyFile}`],
      ],
      users: ['system:node:n'],
      groups: { 'system:node:n': 'system:nodes' },
    });
    api = new Api(server);
    // Pods run as it, and nobody else makes it here.
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  });
  afterAll(async () => {
    await server?.stop();
    await images?.stop();
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const pod = (image: string) => ({ metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image }] } });
  const PODS = '/api/v1/namespaces/default/pods?dryRun=All';

  test('change and refuse pods, and ask the webhook for images', async () => {
    const made = await api.post(PODS, pod('good:1'));
    expect(made.status).toBe(201);
    expect(made.json().spec).toMatchObject({
      nodeSelector: { a: 'b' },
      containers: [{ imagePullPolicy: 'Always' }],
    });
    const refused = await api.post(PODS, pod('evil'));
    expect(refused.json()).toMatchObject({
      ...{ code: 403, reason: 'Forbidden' },
      message: 'pods "a" is forbidden: image policy webhook backend denied one or more images: evil',
    });
  });

  test('make the namespaces of what is written, and refuse owners that are no kinds', async () => {
    const CONFIG_MAPS = '/api/v1/namespaces/made-by-itself/configmaps';
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    const owner = { apiVersion: 'v1', kind: 'Nothing', name: 'o', uid: 'u', blockOwnerDeletion: true };
    const owned = (kind: string) => ({ metadata: { name: kind.toLowerCase(), ownerReferences: [{ ...owner, kind }] } });
    // The administrator may finalize anything, and is not asked further.
    expect((await api.post(CONFIG_MAPS, owned('Nothing'))).status).toBe(201);
  });

  test('let through so many events about one object and no more', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    const events = '/api/v1/namespaces/default/events';
    const post = (at: number) => api.post(events, { metadata: { name: `e-${at}` }, involvedObject });
    // One comes back each second: they would have to take twenty seconds.
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => post(at)));
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(answers.find(({ status }) => status !== 201)?.json()).toMatchObject({
      ...{ code: 429, reason: 'TooManyRequests' },
      message: 'Too many requests: limit reached on type SourceAndObject for key Poddefaultp',
    });
  });

  test('keep nodes to themselves', async () => {
    const node = new Api({ ...server, token: 'system:node:n' });
    const post = (name: string, labels: object) => node.post('/api/v1/nodes', { metadata: { name, labels } });
    expect((await post('m', {})).json()).toMatchObject({
      message: 'nodes "m" is forbidden: node "n" is not allowed to modify node "m"',
    });
    expect((await post('n', { 'node-restriction.kubernetes.io/a': 'b' })).json()).toMatchObject({
      message:
        'nodes "n" is forbidden: node "n" is not allowed to set the following labels: node-restriction.kubernetes.io/a',
    });
    expect((await post('n', { 'kubernetes.io/hostname': 'n' })).status).toBe(201);
  });

  test('tell who makes a namespace stricter which pods could not come again', async () => {
    const label = 'pod-security.kubernetes.io/enforce';
    const path = '/api/v1/namespaces/stricter';
    await api.post('/api/v1/namespaces', { metadata: { name: 'stricter' } });
    await api.post(`${path}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const name of ['a', 'b']) {
      const spec = { hostNetwork: true, containers: [{ name: 'c', image: 'good' }] };
      expect((await api.post(`${path}/pods`, { metadata: { name }, spec })).status).toBe(201);
    }
    const wrong = await api.patch(path, 'merge', { metadata: { labels: { [label]: 'strict' } } });
    expect(wrong.json()).toMatchObject({ code: 422, reason: 'Invalid' });
    const stricter = await api.patch(path, 'merge', { metadata: { labels: { [label]: 'baseline' } } });
    expect(stricter.status).toBe(200);
    expect(stricter.warnings).toEqual([
      'existing pods in namespace "stricter" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ]);
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { hostPID: true, containers: [{ name: 'c', image: 'i' }] },
    };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const made = await api.post(`/apis/apps/v1/namespaces/stricter/deployments`, { metadata: { name: 'd' }, spec });
    expect([made.status, made.warnings]).toEqual([
      201,
      ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)'],
    ]);
  });

  test('rates in Redis are kept to by all together, for each name apart', async () => {
    const settings = { url: redisUrl, secret: Buffer.from(SECRET), timeoutMs: 30_000, onError: () => undefined };
    const processes = [await openRedisRates(settings), await openRedisRates(settings)];
    const rate: Rate = { perSecond: 1 / DAY, burst: 10 };
    const take = (at: number, name = 'a') => processes[at % 2]?.take(['test', name], rate);
    try {
      await expect.poll(() => processes[0]?.take(['test', 'ready'], rate), { timeout: 30_000 }).toBe(true);
      await expect.poll(() => processes[1]?.take(['test', 'ready'], rate), { timeout: 30_000 }).toBe(true);
      const answers = await Promise.all(Array.from({ length: 25 }, (_, at) => take(at)));
      expect(answers.filter((answer) => answer === true)).toHaveLength(10);
      expect(answers.filter((answer) => answer === false)).toHaveLength(15);
      expect(await take(0, 'b')).toBe(true);
      const fast = { perSecond: 1_000, burst: 1 };
      await expect.poll(() => processes[0]?.take(['test', 'fast'], fast), { timeout: 30_000 }).toBe(true);
      await expect.poll(() => processes[1]?.take(['test', 'fast'], fast), { timeout: 30_000 }).toBe(true);
    } finally {
      for (const one of processes) one.close();
    }
  });

  test('without Redis nobody can tell, and events come all the same', async () => {
    await redis.stop();
    const rates = await openRedisRates({ url: redisUrl, secret: Buffer.from(SECRET), onError: () => undefined });
    expect(await rates.take(['test'], { perSecond: 1, burst: 1 })).toBeUndefined();
    rates.close();
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'other' };
    const events = '/api/v1/namespaces/default/events';
    expect((await api.post(events, { metadata: { name: 'later' }, involvedObject })).status).toBe(201);
  });
});
