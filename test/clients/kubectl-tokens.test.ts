import { describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { kubectlStage } from './kubectl-stage.js';

const HOUR_SECONDS = 3600;

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.trim().split('.')[1] ?? '', 'base64url').toString());

describe.each(['1.27', '1.33'] as const)('kubectl %s create token', (release) => {
  const stage = kubectlStage(release);

  test('of an account, used by kubectl and by others', async () => {
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

  test('with duration, audience and what it is bound to', async () => {
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
});
