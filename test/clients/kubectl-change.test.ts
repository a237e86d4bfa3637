import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Api, type ManagedFieldsEntry } from '../support/api.js';
import { kubectlStage } from './kubectl-stage.js';

const LABELS = { app: 'web' };
const CONTAINERS = [
  { name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] },
  { name: 'side', image: 'side:1' },
];
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const of = (apiVersion: string, kind: string, name: string, rest: object) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'app', labels: LABELS },
  ...rest,
});
const DEPLOYMENT = of('apps/v1', 'Deployment', 'web', {
  spec: { replicas: 2, selector: { matchLabels: LABELS }, template: TEMPLATE },
});
const CORE = '/api/v1/namespaces/app';
/** Objects, by their location. */
const OBJECTS = [
  ['/apis/apps/v1/namespaces/app/deployments', DEPLOYMENT],
  [`${CORE}/pods`, of('v1', 'Pod', 'p', { spec: { containers: CONTAINERS } })],
  [
    `${CORE}/replicationcontrollers`,
    of('v1', 'ReplicationController', 'rc', { spec: { selector: LABELS, template: TEMPLATE } }),
  ],
  [
    `${CORE}/services`,
    of('v1', 'Service', 's', { spec: { selector: LABELS, ports: [{ port: 80, targetPort: 8080 }] } }),
  ],
  [`${CORE}/configmaps`, of('v1', 'ConfigMap', 'c', { data: { a: '1', b: '2' } })],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/app/rolebindings',
    of('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jo' }],
    }),
  ],
] as const;

/** Arguments of kubectl, the object that they change, its expected content, and the manager of the changed fields. */
type Change = readonly [args: string, object: string, expected: object, manager: string | undefined];

const inPod = (...containers: object[]) => ({ spec: { template: { spec: { containers } } } });
const user = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
/** Whoever names no manager is called by its executable. */
const UNNAMED = '^kubectl(\\.1\\.\\d+)?$';

const CHANGES: readonly Change[] = [
  [
    'set image deployment/web web=web:2',
    'deployment/web',
    inPod({ image: 'web:2' }, { image: 'side:1' }),
    'kubectl-set',
  ],
  ['set image deployment/web *=all:3', 'deployment/web', inPod({ image: 'all:3' }, { image: 'all:3' }), 'kubectl-set'],
  [
    'set env deployment/web -c web A=1 B=2',
    'deployment/web',
    inPod(
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      { name: 'side' },
    ),
    'kubectl-set',
  ],
  [
    'set env deployment/web --from=configmap/c --prefix=X_ -c side',
    'deployment/web',
    inPod(
      {},
      { env: expect.arrayContaining([{ name: 'X_A', valueFrom: { configMapKeyRef: { key: 'a', name: 'c' } } }]) },
    ),
    'kubectl-set',
  ],
  [
    'set resources deployment/web -c web --limits=cpu=200m,memory=512Mi --requests=cpu=100m',
    'deployment/web',
    inPod({ resources: { limits: { cpu: '200m', memory: '512Mi' }, requests: { cpu: '100m' } } }, { name: 'side' }),
    'kubectl-set',
  ],
  ['set selector service s tier=front', 'service/s', { spec: { selector: { tier: 'front' } } }, 'kubectl-set'],
  [
    'set serviceaccount deployment/web bot',
    'deployment/web',
    { spec: { template: { spec: { serviceAccountName: 'bot', serviceAccount: 'bot' } } } },
    'kubectl-set',
  ],
  [
    'set subject rolebinding b --user=al --serviceaccount=app:bot',
    'rolebinding/b',
    { subjects: [user('jo'), user('al'), { kind: 'ServiceAccount', name: 'bot', namespace: 'app' }] },
    'kubectl-set',
  ],
  [
    'autoscale deployment web --min=2 --max=5 --cpu-percent=80',
    'hpa/web',
    {
      spec: {
        minReplicas: 2,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
    },
    'kubectl-autoscale',
  ],
  ['label configmap c tier=front app-', 'configmap/c', { metadata: { labels: { tier: 'front' } } }, 'kubectl-label'],
  ['annotate configmap c note=x', 'configmap/c', { metadata: { annotations: { note: 'x' } } }, 'kubectl-annotate'],
  ['patch configmap c -p {"data":{"a":"9"}}', 'configmap/c', { data: { a: '9', b: '2' } }, 'kubectl-patch'],
  ['patch configmap c --type=merge -p {"data":{"a":null}}', 'configmap/c', { data: { b: '2' } }, undefined],
  [
    'patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}',
    'deployment/web',
    inPod({ name: 'web', image: 'web:1' }),
    undefined,
  ],
  [
    'patch deployment web --type=json -p [{"op":"remove","path":"/spec/template/spec/containers/0"}]',
    'deployment/web',
    inPod({ name: 'side' }),
    undefined,
  ],
  [
    'patch deployment web --subresource=status --type=merge -p {"status":{"replicas":4}}',
    'deployment/web',
    { status: { replicas: 4 }, metadata: { generation: 1 } },
    'kubectl-patch',
  ],
  ['scale deployment web --replicas=7', 'deployment/web', { spec: { replicas: 7 } }, UNNAMED],
  ['scale rc rc --replicas=0', 'rc/rc', { spec: { replicas: 0 } }, UNNAMED],
  ['rollout pause deployment/web', 'deployment/web', { spec: { paused: true } }, 'kubectl-rollout'],
  [
    'rollout restart deployment/web',
    'deployment/web',
    {
      spec: {
        template: {
          metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.stringMatching(/^\d{4}-/) } },
        },
      },
    },
    'kubectl-rollout',
  ],
];

/** Services that `expose` creates, by object. */
const EXPOSED: readonly (readonly [args: string, spec: object])[] = [
  ['pod p --port=80 --target-port=8080', { ports: [{ port: 80, targetPort: 8080 }], selector: LABELS }],
  [
    'deployment web --type=NodePort',
    { type: 'NodePort', ports: [{ port: 80, nodePort: expect.any(Number) }], selector: LABELS },
  ],
  ['rc rc --port=81', { ports: [{ port: 81, targetPort: 81 }], selector: LABELS }],
  ['service s --port=443 --session-affinity=ClientIP', { ports: [{ port: 443 }], sessionAffinity: 'ClientIP' }],
];

describe.each(['1.27', '1.33'] as const)('kubectl %s changes', (release) => {
  const stage = kubectlStage(release);
  let api: Api;

  beforeAll(() => {
    api = new Api(stage.server);
  });
  afterAll(() => api?.close());

  const json = (object: object) => ({ input: JSON.stringify(object) });
  const live = async (object: string) =>
    JSON.parse(await stage.app('get', object, '-o', 'json', '--show-managed-fields'));
  const makeAnew = (...objects: readonly object[]) =>
    stage.kubectl.ok(
      ['replace', '--force', '--grace-period=0', '-f', '-'],
      json({ apiVersion: 'v1', kind: 'List', items: objects }),
    );

  /** Whatever another test has done to them. */
  beforeEach(async () => {
    for (const [collection, object] of OBJECTS) {
      await api.delete(`${collection}/${object.metadata.name}`, {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      });
      expect((await api.post(`${collection}?fieldManager=maker`, object)).status).toBe(201);
    }
  });

  test.each(CHANGES)('%s', async (args, object, expected, manager) => {
    await stage.app(...args.split(' '));
    const after = await live(object);
    expect(after).toMatchObject(expected);
    const managers = after.metadata.managedFields.map((entry: ManagedFieldsEntry) => entry.manager);
    if (manager) expect(managers).toContainEqual(expect.stringMatching(manager));
  });

  test.each(EXPOSED)('expose %s', async (args, spec) => {
    await stage.app('expose', ...args.split(' '), '--name=exposed');
    expect(await live('service/exposed')).toMatchObject({ spec });
    await stage.app('delete', 'service', 'exposed');
  });

  test('run makes a pod, and with --expose a service', async () => {
    await stage.app(
      'run',
      'one',
      '--image=a:1',
      '--port=80',
      '--expose',
      '--labels=k=v',
      '--env=A=1',
      '--restart=Never',
    );
    expect(await live('pod/one')).toMatchObject({
      metadata: { labels: { k: 'v' }, managedFields: [{ manager: 'kubectl-run', operation: 'Update' }] },
      spec: { restartPolicy: 'Never', containers: [{ name: 'one', image: 'a:1', env: [{ name: 'A', value: '1' }] }] },
    });
    expect(await live('service/one')).toMatchObject({ spec: { selector: { k: 'v' }, ports: [{ port: 80 }] } });
    await stage.app('delete', 'pod/one', 'service/one', '--grace-period=0', '--force');
  });

  test('replace keeps the object, replace --force makes another', async () => {
    const before = await live('deployment/web');
    const changed = { ...DEPLOYMENT, spec: { replicas: 5, selector: { matchLabels: LABELS }, template: TEMPLATE } };
    await stage.kubectl.ok(['replace', '-f', '-'], json(changed));
    expect(await live('deployment/web')).toMatchObject({
      metadata: { uid: before.metadata.uid, generation: 2 },
      spec: { replicas: 5 },
    });
    const other = { matchLabels: { app: 'other' } };
    const moved = of('apps/v1', 'Deployment', 'web', {
      spec: { selector: other, template: { ...TEMPLATE, metadata: { labels: other.matchLabels } } },
    });
    expect(await stage.kubectl.refused(['replace', '-f', '-'], json(moved))).toContain('field is immutable');
    await makeAnew(moved);
    const after = await live('deployment/web');
    expect(after).toMatchObject({ metadata: { generation: 1 }, spec: { selector: other, replicas: 1 } });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
  });

  test('edit, also of the status, and nothing when nothing is edited', async () => {
    const editing = (name: string, script: string) => {
      const file = join(stage.dir, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { env: { KUBE_EDITOR: file } };
    };
    const edit = ['-n', 'app', 'edit', 'deployment', 'web'];
    const scaled = editing('scale.sh', `sed -i 's/replicas: 2/replicas: 6/' "$1"`);
    expect(await stage.kubectl.ok(edit, scaled)).toBe('deployment.apps/web edited\n');
    const after = await live('deployment/web');
    expect(after.spec.replicas).toBe(6);
    const ofEdit = after.metadata.managedFields.find((entry: ManagedFieldsEntry) => entry.manager === 'kubectl-edit');
    expect(ofEdit.fieldsV1).toEqual({ 'f:spec': { 'f:replicas': {} } });
    const untouched = await stage.kubectl.run(edit, editing('none.sh', 'true'));
    expect(untouched.stderr + untouched.stdout).toContain('no changes made');
    const wrong = editing('wrong.sh', `grep -q 'must be greater' "$1" || sed -i 's/replicas: 6/replicas: -1/' "$1"`);
    expect(await stage.kubectl.refused(edit, wrong)).toContain('deployments.apps "web" is invalid');
    const status = editing('status.sh', `sed -i 's/^status: {}/status: {replicas: 3}/' "$1"`);
    await stage.kubectl.ok([...edit, '--subresource=status'], status);
    expect(await live('deployment/web')).toMatchObject({ status: { replicas: 3 }, spec: { replicas: 6 } });
  });

  test('diff, on the client and on the server, tells what would change and changes nothing', async () => {
    const wanted = of('v1', 'ConfigMap', 'c', { data: { a: '1', b: '3' } });
    const before = await live('configmap/c');
    for (const more of [[], ['--server-side', '--force-conflicts']]) {
      const { code, stdout } = await stage.kubectl.run(['diff', ...more, '-f', '-'], json(wanted));
      expect(code, stdout).toBe(1);
      expect(stdout).toMatch(/^-\s+b: "2"$[\s\S]*^\+\s+b: "3"$/m);
    }
    expect(await live('configmap/c')).toEqual(before);
    const mine = ['diff', '--server-side', '-f', '-'];
    expect((await stage.kubectl.run(mine, json(wanted))).stderr).toContain('Apply failed with 1 conflict');
    await stage.kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], json(wanted));
    expect(await stage.kubectl.ok(mine, json(wanted)), 'no difference is left').toBe('');
  });
});
