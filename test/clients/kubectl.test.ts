import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { kubectlStage } from './kubectl-stage.js';
import { hasManifests, MANIFESTS } from './manifests.js';

/** The oldest and the newest release that are promised to work. */
const RELEASES = ['1.27', '1.33'] as const;

describe.each(RELEASES)('kubectl %s', (release) => {
  const stage = kubectlStage(release);

  beforeAll(async () => {
    await stage.kubectl.ok(['-n', 'app', 'create', 'deployment', 'web', '--image=nginx:1.25', '--replicas=2']);
    await stage.kubectl.ok(['-n', 'app', 'create', 'configmap', 'settings', '--from-literal=a=1']);
  });

  test.runIf(hasManifests)('apply of a shop of 35 objects, and again with nothing changed', async () => {
    const apply = ['apply', '-f', join(MANIFESTS, 'online-boutique.yaml')];
    expect(lines(await stage.kubectl.ok(apply)).filter((line) => line.endsWith(' created'))).toHaveLength(35);
    expect(lines(await stage.kubectl.ok(apply)).filter((line) => line.endsWith(' unchanged'))).toHaveLength(35);
    expect(lines(await stage.kubectl.ok(['get', 'deployments', '-o', 'name']))).toHaveLength(12);
  });

  test.runIf(hasManifests)(
    'apply of a monitoring stack with its definitions, and again with nothing changed',
    async () => {
      const stack = join(MANIFESTS, 'kube-prometheus');
      // Larger than what the annotation of an apply on the client may hold.
      await stage.kubectl.ok(['apply', '--server-side', '-f', join(stack, 'setup')]);
      await stage.kubectl.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
      const versions = () =>
        stage.kubectl.ok([
          'get',
          '-f',
          stack,
          '-o',
          'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}',
        ]);
      const apply = () => stage.kubectl.ok(['apply', '-f', stack]);
      expect(lines(await apply()).filter((line) => !line.endsWith(' created'))).toEqual([]);
      const before = await versions();
      expect(lines(before).length).toBeGreaterThan(90);
      expect(before).toMatch(/^PrometheusRule\/kubernetes-monitoring-rules /m);
      expect(lines(await apply()).filter((line) => !/ (unchanged|configured)$/.test(line))).toEqual([]);
      expect(await versions(), 'a second apply changes nothing').toBe(before);
      expect(await stage.kubectl.ok(['-n', 'monitoring', 'get', 'prometheuses'])).toMatch(
        /NAME +VERSION +DESIRED +READY/,
      );
    },
    120_000,
  );

  test('get in all output forms', async () => {
    expect(await stage.app('get', 'deployment', 'web')).toMatch(
      /NAME\s+READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\nweb\s+0\/2/,
    );
    expect(await stage.app('get', 'deployment', 'web', '-o', 'wide')).toContain('nginx:1.25');
    expect(JSON.parse(await stage.app('get', 'deployment', 'web', '-o', 'json')).spec.replicas).toBe(2);
    expect(await stage.app('get', 'deployment', 'web', '-o', 'yaml')).toContain('progressDeadlineSeconds: 600');
    expect(await stage.app('get', 'deployment', '-o', 'name')).toBe('deployment.apps/web\n');
    expect(await stage.app('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].name}')).toBe(
      'nginx',
    );
    expect(await stage.app('get', 'deployment', '-o', 'custom-columns=N:.metadata.name')).toBe('N\nweb\n');
    expect(await stage.app('get', 'deployment', 'web', '-o', 'go-template={{.spec.replicas}}')).toBe('2');
    expect(await stage.app('get', 'deploy,cm', '-l', 'app=web', '-o', 'name')).toBe('deployment.apps/web\n');
    expect(await stage.kubectl.ok(['get', 'configmaps', '-A', '--chunk-size=1'])).toContain('settings');
    expect(await stage.kubectl.ok(['get', 'namespaces', '--field-selector=metadata.name=app', '-o', 'name'])).toBe(
      'namespace/app\n',
    );
  });

  test('get --watch shows changes as they come', async () => {
    await stage.app('create', 'configmap', 'watched', '--from-literal=n=0');
    const watching = stage.kubectl.until(
      ['-n', 'app', 'get', 'configmap', 'watched', '-w', '-o', 'jsonpath={.data.n};'],
      (text) => text.includes('2;'),
    );
    for (const n of ['1', '2'])
      await stage.app('patch', 'configmap', 'watched', '--type=merge', '-p', `{"data":{"n":"${n}"}}`);
    expect(await watching).toContain('2;');
  });

  test('describe, explain, api-resources, version, raw paths', async () => {
    expect(await stage.app('describe', 'deployment', 'web')).toContain('2 desired');
    const explained = await stage.kubectl.ok(['explain', 'deployment.spec.strategy']);
    expect(explained).toContain('rollingUpdate');
    expect(await stage.kubectl.ok(['explain', 'pod.spec', '--recursive'])).toContain('initContainers');
    expect(await stage.kubectl.ok(['api-resources'])).toMatch(/deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/);
    expect(await stage.kubectl.ok(['api-versions'])).toContain('rbac.authorization.k8s.io/v1');
    expect(await stage.kubectl.ok(['version', '-o', 'json'])).toContain('"serverVersion"');
    expect(JSON.parse(await stage.kubectl.ok(['get', '--raw', '/api/v1/namespaces/app'])).kind).toBe('Namespace');
    expect(await stage.kubectl.ok(['get', '--raw', '/readyz?verbose'])).toContain('readyz check passed');
  });

  test('edit, label, annotate, patch in three forms, replace', async () => {
    await stage.app('create', 'configmap', 'edited', '--from-literal=a=1');
    const editor = join(stage.dir, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i \'s/a: "1"/a: "2"/\' "$1"\n', { mode: 0o755 });
    await stage.kubectl.ok(['-n', 'app', 'edit', 'configmap', 'edited'], { env: { EDITOR: editor } });
    await stage.app('label', 'configmap', 'edited', 'tier=front');
    await stage.app('annotate', 'configmap', 'edited', 'note=x');
    await stage.app('patch', 'configmap', 'edited', '-p', '{"data":{"b":"strategic"}}');
    await stage.app('patch', 'configmap', 'edited', '--type=merge', '-p', '{"data":{"c":"merge"}}');
    const operations = '[{"op":"add","path":"/data/d","value":"json"},{"op":"test","path":"/data/a","value":"2"}]';
    await stage.app('patch', 'configmap', 'edited', '--type=json', '-p', operations);
    const object = JSON.parse(await stage.app('get', 'configmap', 'edited', '-o', 'json'));
    expect(object.data).toEqual({ a: '2', b: 'strategic', c: 'merge', d: 'json' });
    expect(object.metadata).toMatchObject({ labels: { tier: 'front' }, annotations: { note: 'x' } });
    object.data = { only: 'this' };
    await stage.kubectl.ok(['replace', '-f', '-'], { input: JSON.stringify(object) });
    expect(await stage.app('get', 'configmap', 'edited', '-o', 'jsonpath={.data}')).toBe('{"only":"this"}');
    expect(await stage.kubectl.refused(['replace', '-f', '-'], { input: JSON.stringify(object) })).toContain(
      'Conflict',
    );
  });

  test('scale, and scale with a precondition', async () => {
    await stage.app('create', 'deployment', 'scaled', '--image=nginx');
    await stage.app('scale', 'deployment', 'scaled', '--replicas=7');
    expect(await stage.app('get', 'deployment', 'scaled', '-o', 'jsonpath={.spec.replicas}')).toBe('7');
    const wrong = ['-n', 'app', 'scale', 'deployment', 'scaled', '--current-replicas=3', '--replicas=1'];
    expect(await stage.kubectl.refused(wrong)).toContain('Expected replicas');
  });

  test('a server-side dry run stores nothing', async () => {
    const dry = ['create', 'configmap', 'dry', '--from-literal=a=1', '--dry-run=server', '-o', 'name'];
    expect(await stage.app(...dry)).toBe('configmap/dry\n');
    expect(await stage.kubectl.refused(['-n', 'app', 'get', 'configmap', 'dry'])).toContain('NotFound');
    const web = await stage.app('get', 'deployment', 'web', '-o', 'json');
    const edited = web.replace('"replicas": 2', '"replicas": 9');
    const { code, stdout } = await stage.kubectl.run(['diff', '-f', '-'], { input: edited });
    expect(code).not.toBe(0);
    expect(stdout === '' || stdout.includes('+  replicas: 9')).toBe(true);
    expect(await stage.app('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('2');
  });

  test('what goes wrong is told in the usual words', async () => {
    expect(await stage.kubectl.refused(['-n', 'app', 'get', 'pod', 'none'])).toContain(
      'Error from server (NotFound): pods "none" not found',
    );
    expect(await stage.kubectl.refused(['-n', 'app', 'create', 'configmap', 'settings'])).toContain('already exists');
    expect(await stage.kubectl.refused(['create', 'namespace', 'Not_A_Label'])).toContain('is invalid: metadata.name');
    const unknown = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: app}\nbogus: 1\n';
    expect(await stage.kubectl.refused(['create', '-f', '-'], { input: unknown })).toMatch(/unknown field "bogus"/);
    expect(await stage.kubectl.refused(['-n', 'nowhere', 'create', 'configmap', 'x'])).toContain(
      'namespaces "nowhere" not found',
    );
  });

  test('delete by name, by label, all, and a namespace with everything in it', async () => {
    await stage.kubectl.ok(['create', 'namespace', 'gone']);
    const gone = (...args: string[]) => stage.kubectl.ok(['-n', 'gone', ...args]);
    for (const name of ['one', 'two', 'three', 'four']) await gone('create', 'configmap', name, '--from-literal=a=1');
    await gone('label', 'configmap', 'two', 'pick=me');
    await gone('delete', 'configmap', 'one');
    await gone('delete', 'configmap', '-l', 'pick=me');
    expect(await gone('get', 'configmap', '-o', 'name')).toBe('configmap/four\nconfigmap/three\n');
    await gone('delete', 'configmap', '--all');
    expect(await gone('get', 'configmap', '-o', 'name')).toBe('');
    await gone('create', 'deployment', 'left', '--image=nginx');
    await gone('create', 'secret', 'generic', 'left', '--from-literal=a=1');
    await gone('run', 'left', '--image=nginx');
    await stage.kubectl.ok(['delete', 'namespace', 'gone']);
    expect(await stage.kubectl.refused(['get', 'namespace', 'gone'])).toContain('NotFound');
    expect(await gone('get', 'deployments,secrets,pods', '-o', 'name')).toBe('');
  });
});

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
