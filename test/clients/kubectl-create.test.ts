import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { kubectlStage } from './kubectl-stage.js';

/** Arguments after `create`, the created object, and its expected content. Files are in the test's own folder. */
type Generator = readonly [args: string, made: string, expected: object];

const decoded = (text: string) => Buffer.from(text).toString('base64');
const pods = (resources: readonly string[], verbs: readonly string[]) => [{ apiGroups: [''], resources, verbs }];
const container = (name: string, image: string) => ({ name, image, terminationMessagePath: '/dev/termination-log' });
const rbac = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

const ROLES: readonly Generator[] = [
  [
    'clusterrole reader --verb=get,list --resource=pods,pods/status',
    'clusterrole/reader',
    { rules: pods(['pods', 'pods/status'], ['get', 'list']) },
  ],
  [
    'clusterrole named --verb=get --resource=deployments.apps --resource-name=web',
    'clusterrole/named',
    { rules: [{ apiGroups: ['apps'], resourceNames: ['web'], resources: ['deployments'], verbs: ['get'] }] },
  ],
  [
    'clusterrole urls --verb=get --non-resource-url=/logs/*',
    'clusterrole/urls',
    { rules: [{ nonResourceURLs: ['/logs/*'], verbs: ['get'] }] },
  ],
  [
    'clusterrole gathered --aggregation-rule=rbac.example.com/aggregate=yes',
    'clusterrole/gathered',
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'rbac.example.com/aggregate': 'yes' } }] } },
  ],
  [
    'clusterrolebinding b --clusterrole=reader --user=jo --group=ops --serviceaccount=app:bot',
    'clusterrolebinding/b',
    {
      roleRef: rbac('ClusterRole', 'reader'),
      subjects: [rbac('User', 'jo'), rbac('Group', 'ops'), { kind: 'ServiceAccount', name: 'bot', namespace: 'app' }],
    },
  ],
  ['role r --verb=* --resource=pods', 'role/r', { rules: pods(['pods'], ['*']) }],
  [
    'rolebinding rb --role=r --user=jo',
    'rolebinding/rb',
    { roleRef: rbac('Role', 'r'), subjects: [rbac('User', 'jo')] },
  ],
];

const DATA: readonly Generator[] = [
  ['configmap literals --from-literal=a=1 --from-literal=b=x=y', 'configmap/literals', { data: { a: '1', b: 'x=y' } }],
  [
    'configmap files --from-file=app.properties --from-file=other=raw.bin',
    'configmap/files',
    { data: { 'app.properties': 'k=v\n' }, binaryData: { other: Buffer.from([0xff, 0xfe, 0]).toString('base64') } },
  ],
  ['configmap env --from-env-file=settings.env', 'configmap/env', { data: { ONE: '1', TWO: 'two words' } }],
  [
    'secret generic s --from-literal=password=p --from-file=app.properties --type=example.com/t',
    'secret/s',
    { type: 'example.com/t', data: { password: decoded('p'), 'app.properties': decoded('k=v\n') } },
  ],
  [
    'secret docker-registry pull --docker-server=r.example.com --docker-username=u --docker-password=p --docker-email=e@x',
    'secret/pull',
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': expect.any(String) } },
  ],
  [
    'secret tls t --cert=tls.crt --key=tls.key',
    'secret/t',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': expect.any(String), 'tls.key': expect.any(String) } },
  ],
];

const WORKLOADS: readonly Generator[] = [
  [
    'deployment web --image=nginx:1 --image=sidecar:2 --replicas=3 --port=8080',
    'deployment/web',
    {
      metadata: { labels: { app: 'web' }, generation: 1 },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: {
            restartPolicy: 'Always',
            containers: [container('nginx', 'nginx:1'), container('sidecar', 'sidecar:2')],
          },
        },
      },
    },
  ],
  [
    'job j --image=busybox -- date -u',
    'job/j',
    {
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        selector: { matchLabels: expect.anything() },
        template: {
          spec: { restartPolicy: 'Never', containers: [{ ...container('j', 'busybox'), command: ['date', '-u'] }] },
        },
      },
    },
  ],
  [
    'cronjob c --image=busybox --schedule=*/5_*_*_*_* --restart=OnFailure -- date',
    'cronjob/c',
    {
      spec: {
        schedule: '*/5 * * * *',
        concurrencyPolicy: 'Allow',
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { metadata: { name: 'c' }, spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
      },
    },
  ],
  [
    'job by-hand --from=cronjob/c',
    'job/by-hand',
    {
      metadata: {
        annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c' }],
      },
      spec: { template: { spec: { containers: [container('c', 'busybox')] } } },
    },
  ],
];

const NETWORK: readonly Generator[] = [
  [
    'service clusterip c --tcp=80:8080 --tcp=443:tls',
    'service/c',
    {
      spec: {
        type: 'ClusterIP',
        clusterIP: expect.stringMatching(/^10\./),
        ports: [
          { name: '80-8080', port: 80, targetPort: 8080, protocol: 'TCP' },
          { name: '443-tls', port: 443, targetPort: 'tls', protocol: 'TCP' },
        ],
        selector: { app: 'c' },
        sessionAffinity: 'None',
      },
    },
  ],
  ['service clusterip headless --clusterip=None', 'service/headless', { spec: { clusterIP: 'None' } }],
  [
    'service externalname e --external-name=e.example.com --tcp=80:80',
    'service/e',
    { spec: { type: 'ExternalName', externalName: 'e.example.com', selector: { app: 'e' } } },
  ],
  [
    'service nodeport n --tcp=80:80 --node-port=30123',
    'service/n',
    { spec: { type: 'NodePort', ports: [{ nodePort: 30123, port: 80 }], externalTrafficPolicy: 'Cluster' } },
  ],
  [
    'service loadbalancer l --tcp=80:80',
    'service/l',
    { spec: { type: 'LoadBalancer', ports: [{ nodePort: expect.any(Number) }], allocateLoadBalancerNodePorts: true } },
  ],
  [
    'ingress i --class=nginx --rule=a.example.com/x*=c:80,tls=t --rule=b.example.com/=c:http --annotation=k=v',
    'ingress/i',
    {
      metadata: { annotations: { k: 'v' } },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'a.example.com',
            http: { paths: [{ path: '/x', pathType: 'Prefix', backend: backend({ number: 80 }) }] },
          },
          {
            host: 'b.example.com',
            http: { paths: [{ path: '/', pathType: 'Exact', backend: backend({ name: 'http' }) }] },
          },
        ],
        tls: [{ hosts: ['a.example.com'], secretName: 't' }],
      },
    },
  ],
  ['ingress d --default-backend=c:80', 'ingress/d', { spec: { defaultBackend: backend({ number: 80 }) } }],
];

const OTHERS: readonly Generator[] = [
  ['namespace n', 'namespace/n', { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }],
  [
    'poddisruptionbudget b --selector=app=web --min-available=50%',
    'poddisruptionbudget/b',
    { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } } },
  ],
  [
    'poddisruptionbudget m --selector=app=web --max-unavailable=1',
    'poddisruptionbudget/m',
    { spec: { maxUnavailable: 1 } },
  ],
  [
    'priorityclass high --value=1000 --description=d --preemption-policy=Never',
    'priorityclass/high',
    { value: 1000, description: 'd', preemptionPolicy: 'Never' },
  ],
  ['serviceaccount bot', 'serviceaccount/bot', { metadata: { name: 'bot', namespace: 'app' } }],
];

function backend(port: object): object {
  return { service: { name: 'c', port } };
}

describe.each(['1.27', '1.33'] as const)('kubectl %s create', (release) => {
  const stage = kubectlStage(release);

  beforeAll(async () => {
    writeFileSync(join(stage.dir, 'app.properties'), 'k=v\n');
    writeFileSync(join(stage.dir, 'raw.bin'), Buffer.from([0xff, 0xfe, 0]));
    writeFileSync(join(stage.dir, 'settings.env'), '# said\nONE=1\nTWO=two words\n');
    const key = [
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      join(stage.dir, 'tls.key'),
      '-out',
      join(stage.dir, 'tls.crt'),
    ];
    execFileSync('openssl', ['req', '-x509', '-subj', '/CN=t', '-days', '2', ...key], { stdio: 'ignore' });
  });

  /** Splits text into arguments: `_` is a blank, and names of files are those of the folder. */
  const split = (text: string) =>
    text
      .split(' ')
      .map((word) => word.replaceAll('_', ' '))
      .map((word) => word.replace(/^(--(?:from-file|from-env-file|cert|key)=(?:other=)?)/, `$1${stage.dir}/`));

  test.each([...ROLES, ...DATA, ...WORKLOADS, ...NETWORK, ...OTHERS])('%s', async (args, made, expected) => {
    const said = await stage.app('create', ...split(args));
    expect(said).toMatch(/ created\n$/);
    const live = JSON.parse(await stage.app('get', made, '-o', 'json', '--show-managed-fields'));
    expect(live).toMatchObject(expected);
    const entries: { manager: string }[] = live.metadata.managedFields ?? [];
    // Of a name alone nobody is the owner.
    expect(entries.map(({ manager }) => manager)).toEqual(made === 'serviceaccount/bot' ? [] : ['kubectl-create']);
    // What there is cannot be created again, and what is read can be written.
    expect(await stage.kubectl.refused(['-n', 'app', 'create', ...split(args)])).toMatch(
      /AlreadyExists|already (exists|allocated)/,
    );
    await stage.kubectl.ok(['replace', '-f', '-'], { input: JSON.stringify(live) });
    expect(await stage.app('get', made, '-o', 'jsonpath={.metadata.resourceVersion}')).toBe(
      live.metadata.resourceVersion,
    );
  });

  test('quota q --hard=cpu=1,pods=2 --scopes=NotTerminating, of which the server tells what is used', async () => {
    const args = ['create', 'quota', 'q', '--hard=cpu=1,pods=2', '--scopes=NotTerminating'];
    expect(await stage.app(...args)).toBe('resourcequota/q created\n');
    expect(await stage.kubectl.refused(['-n', 'app', ...args])).toContain('already exists');
    const described = () => stage.app('describe', 'quota', 'q');
    await expect.poll(described, { timeout: 30_000 }).toMatch(/cpu +0 +1\npods +0 +2\n/);
    expect(await described()).toMatch(/Scopes: +NotTerminating/);
    expect(await stage.app('get', 'quota', 'q', '-o', 'jsonpath={.spec.hard.cpu} {.spec.scopes}')).toBe(
      '1 ["NotTerminating"]',
    );
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ ...container('c', 'i'), resources: { requests: { cpu: '300m' } } }] },
    };
    await stage.kubectl.ok(['-n', 'app', 'create', '-f', '-'], { input: JSON.stringify(pod) });
    expect(await described()).toMatch(/cpu +300m +1\npods +1 +2\n/);
    const unlimited = await stage.kubectl.refused(['-n', 'app', 'run', 'r', '--image=i']);
    expect(unlimited).toContain('pods "r" is forbidden: failed quota: q: must specify cpu for: r');
  });

  test('token asks the server, which draws none yet', async () => {
    expect(await stage.kubectl.refused(['-n', 'app', 'create', 'token', 'nobody'])).toContain('"nobody" not found');
    expect(await stage.kubectl.refused(['-n', 'app', 'create', 'token', 'bot', '--duration=1m'])).toContain(
      'may not specify a duration less than 10 minutes',
    );
  });

  test('a dry run on the server creates nothing', async () => {
    const args = ['create', 'deployment', 'dry', '--image=a', '--dry-run=server', '-o', 'jsonpath={.spec.replicas}'];
    expect(await stage.app(...args)).toBe('1');
    expect(await stage.kubectl.refused(['-n', 'app', 'get', 'deployment', 'dry'])).toContain('NotFound');
  });
});
