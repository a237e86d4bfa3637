import { expect, inject, test } from 'vitest';
import { conformance, expectStatus } from './conformance.js';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

conformance('The issuer of tokens [Service account tokens]', ({ api, names, namespace }) => {
  const server = inject('servers')[names.profile];

  async function issuedToken(): Promise<string> {
    const accounts = `/api/v1/namespaces/${await namespace()}/serviceaccounts`;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    expectStatus(await api.post(accounts, account), 201);
    const group = names.group('authentication.orch.io');
    const asked = { apiVersion: `${group}/v1`, kind: 'TokenRequest', spec: {} };
    return expectStatus(await api.post(`${accounts}/robot/token`, asked), 201).json().status.token;
  }

  test('tells whose keys are whose', async () => {
    const token = await issuedToken();
    const discovery = expectStatus(await api.get('/.well-known/openid-configuration'), 200).json();
    expect(discovery.issuer).toBe(claimsOf(token).iss);
    expect(discovery.jwks_uri).toBe(`${server.url}/openid/v1/jwks`);
    expect(expectStatus(await api.get('/'), 200).json<{ paths: string[] }>().paths).toEqual(
      expect.arrayContaining(['/.well-known/openid-configuration', '/openid/v1/jwks']),
    );
  });
});
