import { expect, test } from 'vitest';
import { CERTIFICATE_REQUEST } from '../support/certificate-request.js';
import { conformance, expectStatus } from './conformance.js';

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
});
