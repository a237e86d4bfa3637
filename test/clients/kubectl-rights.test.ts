import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { kubectlStage } from './kubectl-stage.js';

const HOUR_SECONDS = 3600;

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.trim().split('.')[1] ?? '', 'base64url').toString());

describe.each(['1.27', '1.33'] as const)('kubectl %s, tokens and rights', (release) => {
  const stage = kubectlStage(release);

  test('create token of an account, used by kubectl and by others', async () => {
    await stage.app('create', 'serviceaccount', 'robot');
    // Whatever rights are asked for.
    const binding = ['clusterrolebinding', 'robots', '--clusterrole=cluster-admin', '--group=system:serviceaccounts'];
    await stage.kubectl.ok(['create', ...binding]);
    const token = (await stage.app('create', 'token', 'robot')).trim();
    expect(claimsOf(token).sub).toBe('system:serviceaccount:app:robot');
    expect(claimsOf(token).exp - claimsOf(token).iat).toBe(HOUR_SECONDS);
    const api = new Api({ url: stage.server.url, ca: stage.server.ca, token });
    await expect.poll(async () => (await api.get('/api/v1/namespaces/app/configmaps')).status).toBe(200);
    api.close();
    // The certificate of the kubeconfig would stand before the token.
    const as = [
      '--token',
      token,
      '--server',
      stage.server.url,
      '--insecure-skip-tls-verify',
      '--kubeconfig',
      '/dev/null',
    ];
    expect(await stage.kubectl.ok([...as, '-n', 'app', 'get', 'serviceaccounts', '-o', 'name'])).toContain(
      'serviceaccount/robot',
    );
    await stage.app('delete', 'serviceaccount', 'robot');
    const refused = await stage.kubectl.refused([...as, '-n', 'app', 'get', 'serviceaccounts']);
    expect(refused).toMatch(/Unauthorized|must be logged in/);
  });

  test('create token with duration, audience and what it is bound to', async () => {
    await stage.app('create', 'serviceaccount', 'bound');
    await stage.app('create', 'secret', 'generic', 'held');
    const token = await stage.app(
      ...['create', 'token', 'bound', '--duration=20m', '--audience=vault', '--audience=store'],
      ...['--bound-object-kind=Secret', '--bound-object-name=held'],
    );
    const claims = claimsOf(token);
    expect(claims.exp - claims.iat).toBe(1200);
    expect(claims.aud).toEqual(['vault', 'store']);
    expect(claims['kubernetes.io'].secret.name).toBe('held');
    const { status } = JSON.parse(await stage.app('create', 'token', 'bound', '-o', 'json'));
    expect(Object.keys(status).sort()).toEqual(['expirationTimestamp', 'token']);
    const none = await stage.kubectl.refused(['-n', 'app', 'create', 'token', 'nobody']);
    expect(none).toContain('serviceaccounts "nobody" not found');
    const short = await stage.kubectl.refused(['-n', 'app', 'create', 'token', 'bound', '--duration=1m']);
    expect(short).toContain('may not specify a duration less than 10 minutes');
  });

  test('auth reconcile adds what is missing, leaves what is more, and takes it away when told to', async () => {
    const file = join(stage.dir, 'rights.yaml');
    const wanted = (verbs: string, subjects: string) =>
      writeFileSync(
        file,
        `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reconciled, labels: {a: b}}
rules: [{apiGroups: [""], resources: [pods], verbs: ${verbs}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reconciled, namespace: app}
rules: [{apiGroups: [""], resources: [secrets], verbs: ${verbs}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reconciled, namespace: app}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reconciled}
subjects: ${subjects}
`,
      );
    const user = (name: string) => `{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${name}}`;
    const verbs = async (kind: string) =>
      JSON.parse(await stage.app('get', kind, 'reconciled', '-o', 'json'))
        .rules.flatMap((rule: { verbs: string[] }) => rule.verbs)
        .sort();
    const reconcile = (...more: string[]) => stage.kubectl.ok(['auth', 'reconcile', '-f', file, ...more]);
    wanted('[get, list]', `[${user('ann')}]`);
    expect(await reconcile('--dry-run=client')).toContain('reconciled');
    await stage.kubectl.refused(['get', 'clusterrole', 'reconciled']);
    expect(await reconcile()).toContain('clusterrole.rbac.authorization.k8s.io/reconciled reconciled');
    wanted('[watch]', `[${user('joe')}]`);
    await reconcile();
    expect([await verbs('clusterrole'), await verbs('role')]).toEqual([
      ['get', 'list', 'watch'],
      ['get', 'list', 'watch'],
    ]);
    const can = (name: string) => stage.kubectl.run(['auth', 'can-i', 'get', 'secrets', '-n', 'app', `--as=${name}`]);
    const yes = { timeout: 30_000, interval: 500 };
    await expect.poll(async () => (await can('joe')).stdout, yes).toBe('yes\n');
    expect((await can('ann')).stdout).toBe('yes\n');
    await reconcile('--remove-extra-permissions', '--remove-extra-subjects');
    expect(await verbs('role')).toEqual(['watch']);
    await expect.poll(async () => (await can('joe')).stdout, yes).toBe('no\n');
    // Another role takes another binding: the one before is deleted and made anew.
    const [, , binding = ''] = readFileSync(file, 'utf8').split('---');
    writeFileSync(file, binding.replace('kind: Role, name: reconciled', 'kind: ClusterRole, name: view'));
    await reconcile();
    expect(await stage.app('get', 'rolebinding', 'reconciled', '-o', 'jsonpath={.roleRef.name}')).toBe('view');
  });

  test('auth can-i in all its forms', async () => {
    await stage.app('create', 'role', 'asker', '--verb=get,list', '--resource=configmaps', '--resource-name=one');
    await stage.app('create', 'role', 'scaler', '--verb=update', '--resource=deployments.apps/scale');
    for (const role of ['asker', 'scaler'])
      await stage.app('create', 'rolebinding', role, `--role=${role}`, '--user=asker');
    const paths = ['clusterrole', 'reader-of-metrics', '--verb=get', '--non-resource-url=/metrics'];
    await stage.kubectl.ok(['create', ...paths]);
    const bound = ['--clusterrole=reader-of-metrics', '--user=asker'];
    await stage.kubectl.ok(['create', 'clusterrolebinding', 'reader-of-metrics', ...bound]);
    const as = '--as=asker';
    const ask = async (...args: string[]) => {
      const { stdout, code } = await stage.kubectl.run(['-n', 'app', 'auth', 'can-i', ...args, as]);
      return [stdout, code];
    };
    await expect.poll(() => ask('get', '/metrics'), { timeout: 30_000, interval: 500 }).toEqual(['yes\n', 0]);
    const [yes, no] = [
      ['yes\n', 0],
      ['no\n', 1],
    ];
    expect(await ask('get', 'configmaps/one')).toEqual(yes);
    expect(await ask('get', 'configmaps/two')).toEqual(no);
    expect(await ask('get', 'configmaps')).toEqual(no);
    expect(await ask('get', 'cm/one')).toEqual(yes);
    expect(await ask('get', 'configmaps/one', '--all-namespaces')).toEqual(no);
    expect(await ask('update', 'deployments.apps', '--subresource=scale')).toEqual(yes);
    expect(await ask('update', 'deployments.apps')).toEqual(no);
    expect(await ask('delete', '/metrics')).toEqual(no);
    expect(await ask('*', '*')).toEqual(no);
    expect(await ask('get', 'configmaps/one', '--quiet')).toEqual(['', 0]);
    expect(await ask('get', 'configmaps/two', '-q')).toEqual(['', 1]);
    const [list] = await ask('--list');
    expect(list).toMatch(/configmaps\s+\[\]\s+\[one\]\s+\[get list\]/);
    expect(list).toMatch(/deployments\.apps\/scale\s+\[\]\s+\[\]\s+\[update\]/);
    expect(list).toMatch(/\[\/metrics\]\s+\[\]\s+\[get\]/);
    expect(list).toMatch(/selfsubjectaccessreviews\.authorization\.k8s\.io\s+\[\]\s+\[\]\s+\[create\]/);
    const [elsewhere] = await ask('--list', '--namespace=default');
    expect(elsewhere).not.toContain('configmaps');
  });
});
