import { describe, expect, test } from 'vitest';
import { kubectlStage } from './kubectl-stage.js';

const RELEASES = ['1.27', '1.33'] as const;

const settings = (data: object, namespace = 'app') =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data });

const web = (replicas: number, image = 'nginx:1.25') => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: app
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: ${image}
        ports:
        - containerPort: 80
`;

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
}

/** Spec, "Server-side apply", as kubectl speaks it. */
describe.each(RELEASES)('kubectl %s, server-side apply', (release) => {
  const stage = kubectlStage(release);

  const apply = (input: string, ...args: string[]) =>
    stage.kubectl.ok(['apply', '--server-side', '-f', '-', ...args], { input });
  const managers = async (kind: string, name: string) => {
    const text = await stage.kubectl.ok(['-n', 'app', 'get', kind, name, '-o', 'json', '--show-managed-fields']);
    const entries: Entry[] = JSON.parse(text).metadata.managedFields ?? [];
    return entries.map(({ manager, operation, subresource }) =>
      [manager, operation, ...(subresource ? [subresource] : [])].join(' '),
    );
  };

  test('creates, changes nothing the second time, and refuses what others own until it is forced', async () => {
    expect(await apply(settings({ a: '1', b: '1' }))).toBe('configmap/settings serverside-applied\n');
    const version = () =>
      stage.kubectl.ok(['-n', 'app', 'get', 'cm', 'settings', '-o', 'jsonpath={.metadata.resourceVersion}']);
    const before = await version();
    await apply(settings({ a: '1', b: '1' }));
    expect(await version()).toBe(before);
    const args = ['apply', '--server-side', '-f', '-', '--field-manager=other'];
    const refused = await stage.kubectl.refused(args, { input: settings({ a: '2' }) });
    expect(refused).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.a');
    expect(refused).toContain('--force-conflicts');
    await apply(settings({ a: '2' }), '--field-manager=other', '--force-conflicts');
    expect(await managers('configmap', 'settings')).toEqual(['kubectl Apply', 'other Apply']);
    expect(await stage.kubectl.ok(['-n', 'app', 'get', 'cm', 'settings', '-o', 'jsonpath={.data}'])).toBe(
      '{"a":"2","b":"1"}',
    );
  });

  test('takes over from client-side apply, and back', async () => {
    const client = (input: string) => stage.kubectl.ok(['apply', '-f', '-'], { input });
    await client(web(2));
    expect(await managers('deployment', 'web')).toEqual(['kubectl-client-side-apply Update']);
    await apply(web(3));
    // kubectl applies the annotation of client-side apply under a name of its own.
    expect((await managers('deployment', 'web')).sort()).toEqual(['kubectl Apply', 'kubectl-last-applied Apply']);
    await apply(web(3, 'nginx:1.26'));
    const live = JSON.parse(await stage.kubectl.ok(['-n', 'app', 'get', 'deployment', 'web', '-o', 'json']));
    expect(live.spec.replicas).toBe(3);
    const last = live.metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'];
    expect(JSON.parse(last).spec.template.spec.containers[0].image).toBe('nginx:1.26');
    await client(web(4, 'nginx:1.26'));
    expect(await stage.kubectl.ok(['-n', 'app', 'get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('4');
  });

  test('shows a difference and stores nothing', async () => {
    await apply(settings({ c: '1' }), '--field-manager=differ');
    const { code, stdout } = await stage.kubectl.run(['diff', '--server-side', '--field-manager=differ', '-f', '-'], {
      input: settings({ c: '2' }),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-\s+c: "1"$/m);
    expect(stdout).toMatch(/^\+\s+c: "2"$/m);
    expect(await stage.kubectl.ok(['-n', 'app', 'get', 'cm', 'settings', '-o', 'jsonpath={.data.c}'])).toBe('1');
    const dry = await apply(settings({ c: '3' }), '--field-manager=differ', '--dry-run=server');
    expect(dry).toBe('configmap/settings serverside-applied (server dry run)\n');
  });

  test('prunes what left an apply set', async () => {
    await stage.kubectl.ok(['create', 'namespace', 'set']);
    const map = (name: string) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'set' }, data: {} });
    const args = ['apply', '--server-side', '--prune', '--applyset=secrets/mine', '-n', 'set', '-f', '-'];
    const env = { KUBECTL_APPLYSET: 'true' };
    await stage.kubectl.ok(args, { input: `${map('one')}\n${map('two')}`, env });
    expect(await stage.kubectl.ok(args, { input: map('two'), env })).toContain('configmap/one pruned');
    expect(await stage.kubectl.ok(['-n', 'set', 'get', 'configmaps', '-o', 'name'])).toBe('configmap/two\n');
  });

  test('keeps apart who scales, edits, labels and patches', async () => {
    await stage.kubectl.ok(['-n', 'app', 'scale', 'deployment', 'web', '--replicas=9']);
    await stage.kubectl.ok(['-n', 'app', 'label', 'deployment', 'web', 'tier=front']);
    await stage.kubectl.ok(['-n', 'app', 'set', 'image', 'deployment/web', 'web=nginx:1.27']);
    await stage.kubectl.ok(['-n', 'app', 'patch', 'deployment', 'web', '-p', '{"spec":{"paused":true}}']);
    const all = await managers('deployment', 'web');
    expect(all).toEqual(
      expect.arrayContaining([
        // What is not named is what the executable is called.
        expect.stringMatching(/^kubectl(\.1\.\d+)? Update scale$/),
        'kubectl-label Update',
        'kubectl-patch Update',
        'kubectl-set Update',
      ]),
    );
    expect(await stage.kubectl.refused(['apply', '--server-side', '-f', '-'], { input: web(4) })).toMatch(
      /conflicts? with "kubectl[.\d]*" with subresource "scale" using apps\/v1/,
    );
  });
});
