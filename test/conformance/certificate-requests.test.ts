import { X509Certificate } from 'node:crypto';
import { makeCertificateRequest } from '@orch/authentication/testing';
import { expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { CERTIFICATE_REQUEST } from '../support/certificate-request.js';
import { conformance, expectRefusal, expectStatus } from './conformance.js';

conformance('Certificate requests: who asks', ({ api, names, namespace }) => {
  const path = `/apis/${names.group('certificates.orch.io')}/v1/certificatesigningrequests`;
  const claims = { username: 'somebody', uid: 'else', groups: ['system:masters'], extra: { a: ['b'] } };
  const signerName = 'example.com/signer';
  const caller = { username: 'tester', uid: 'tester', groups: ['system:masters', 'system:authenticated'] };

  test('the server says it, whatever the body says, and it stays', async () => {
    const name = await namespace();
    const spec = { request: CERTIFICATE_REQUEST, signerName, usages: ['client auth'], ...claims };
    const created = expectStatus(await api.post(path, { metadata: { name }, spec }), 201).json();
    try {
      expect(created.spec).toMatchObject(caller);
      expect(created.spec).not.toHaveProperty('extra');
      const patched = expectStatus(await api.patch(`${path}/${name}`, 'merge', { spec: claims }), 200).json();
      expect(patched.spec).toEqual(created.spec);
      const replaced = { ...created, metadata: { name }, spec: { ...created.spec, ...claims } };
      expect(expectStatus(await api.put(`${path}/${name}`, replaced), 200).json().spec).toEqual(created.spec);
      const approved = { ...replaced, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] } };
      for (const subresource of ['approval', 'status']) {
        const answer = expectStatus(await api.put(`${path}/${name}/${subresource}`, approved), 200).json();
        expect(answer.spec).toEqual(created.spec);
      }
    } finally {
      await api.delete(`${path}/${name}`);
    }
  });

  test('whoever applies or patches in whatever form', async () => {
    const name = await namespace();
    const spec = { request: CERTIFICATE_REQUEST, signerName, usages: ['client auth'] };
    const [apiVersion, kind] = [`${names.group('certificates.orch.io')}/v1`, 'CertificateSigningRequest'];
    const apply = (subresource = '', more: object = {}) =>
      api.request('PATCH', `${path}/${name}${subresource}?fieldManager=m&force=true`, {
        body: { apiVersion, kind, metadata: { name }, spec: { ...spec, ...claims }, ...more },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'x', message: '' }] };
    const created = expectStatus(await apply('', { status: approved }), 201).json();
    try {
      expect(created.spec).toEqual({ ...spec, ...caller });
      expect(created.status ?? {}).toEqual({});
      expect(expectStatus(await apply(), 200).json().spec).toEqual(created.spec);
      const steps = [{ op: 'replace', path: '/spec/username', value: 'somebody' }];
      for (const answer of [
        await api.patch(`${path}/${name}`, 'json', steps),
        await api.patch(`${path}/${name}`, 'strategic-merge', { spec: claims, status: approved }),
        await api.patch(`${path}/${name}/status`, 'json', steps),
        await api.patch(`${path}/${name}/approval`, 'json', steps),
        await apply('/approval', { status: approved }),
      ])
        expect(expectStatus(answer, 200).json().spec).toEqual(created.spec);
      const { status } = (await api.get(`${path}/${name}`)).json();
      expect(status).toMatchObject({ conditions: [{ type: 'Approved' }] });
    } finally {
      await api.delete(`${path}/${name}`);
    }
  });
});

conformance('Certificate requests: what is signed', ({ api, names, namespace }) => {
  const path = `/apis/${names.group('certificates.orch.io')}/v1/certificatesigningrequests`;
  const CLIENT = names.key('orch.io/apiserver-client');
  const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'Seen', message: 'by a test' }] };

  const ask = (name: string, pem: string, spec: object) =>
    api.post(path, { metadata: { name }, spec: { request: Buffer.from(pem).toString('base64'), ...spec } });
  const approve = async (name: string) =>
    expectStatus(await api.patch(`${path}/${name}/approval`, 'merge', { status: approved }), 200);
  const statusOf = async (name: string) => (await api.get(`${path}/${name}`)).json<ApiObject>().status;

  async function certificateFor(name: string): Promise<string> {
    await expect.poll(async () => (await statusOf(name)).certificate).toBeTypeOf('string');
    return Buffer.from((await statusOf(name)).certificate, 'base64').toString();
  }

  test('a client gets a certificate that it is known by here', async () => {
    const name = await namespace();
    const { request, key } = await makeCertificateRequest({ commonName: name, organizations: [`dev-${name}`] });
    const spec = { signerName: CLIENT, usages: ['digital signature', 'client auth'] };
    expectStatus(await ask(name, request, spec), 201);
    await approve(name);
    const cert = await certificateFor(name);
    const own = new Api({ ...certificateSettings(), certificate: { cert, key } });
    const rbac = names.group('rbac.authorization.orch.io');
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' };
    const binding = { metadata: { name }, roleRef, subjects: [{ kind: 'Group', apiGroup: rbac, name: `dev-${name}` }] };
    const bound = `/apis/${rbac}/v1/clusterrolebindings`;
    try {
      const refused = expectRefusal(await own.get('/api/v1/namespaces'), 403, 'Forbidden');
      expect(refused.message).toContain(`User "${name}" cannot list`);
      expectStatus(await api.post(bound, binding), 201);
      await expect.poll(async () => (await own.get('/api/v1/namespaces')).status).toBe(200);
      const again = { ...spec, request: Buffer.from(request).toString('base64'), signerName: 'example.com/s' };
      const created = expectStatus(await own.post(path, { metadata: { name: `by-${name}` }, spec: again }), 201).json();
      expect(created.spec).toMatchObject({ username: name, groups: [`dev-${name}`, 'system:authenticated'] });
    } finally {
      await api.delete(`${bound}/${name}`);
      own.close();
    }
    const { validFrom, validTo } = new X509Certificate(cert);
    expect((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000).toBe(365);
  });

  /** Without a token. */
  const certificateSettings = () => {
    const { url, ca } = api.settings;
    return { url, ...(ca !== undefined && { ca }) };
  };

  test('a serving certificate is none of a client', async () => {
    const name = await namespace();
    const node = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
    const { request, key } = await makeCertificateRequest(node, { names: [{ type: 'dns', value: name }] });
    const spec = { signerName: names.key('orch.io/kubelet-serving'), usages: ['digital signature', 'server auth'] };
    expectStatus(await ask(name, request, spec), 201);
    await approve(name);
    const cert = await certificateFor(name);
    const own = new Api({ ...certificateSettings(), certificate: { cert, key } });
    expectRefusal(await own.get('/api/v1/namespaces'), 401, 'Unauthorized');
    own.close();
  });

  test('a signer that refuses says why, once', async () => {
    const name = await namespace();
    const { request } = await makeCertificateRequest({ commonName: name });
    const signerName = names.key('orch.io/kube-apiserver-client-kubelet');
    expectStatus(await ask(name, request, { signerName, usages: ['client auth'] }), 201);
    await approve(name);
    await expect.poll(async () => (await statusOf(name)).conditions.length).toBe(2);
    expect((await statusOf(name)).conditions[1]).toMatchObject({
      type: 'Failed',
      reason: 'SignerValidationFailure',
      message: 'subject organization is not system:nodes',
    });
    expect(await statusOf(name)).not.toHaveProperty('certificate');
  });

  test('nobody asks for a certificate in the group that may do everything', async () => {
    const name = await namespace();
    const { request } = await makeCertificateRequest({ commonName: name, organizations: ['system:masters'] });
    const { message } = expectRefusal(
      await ask(name, request, { signerName: CLIENT, usages: ['client auth'] }),
      403,
      'Forbidden',
    );
    expect(message).toContain(`use of ${CLIENT} signer with system:masters group is not allowed`);
  });
});
