import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { selfSignedPair } from '@orch/authentication';
import { afterEach, expect, it, vi } from 'vitest';
import { ComponentServer } from './component-server.js';

let server: ComponentServer | undefined;
afterEach(() => server?.stop());

const nobody = () => Promise.reject(new Error('nobody is asked'));

/** Returns the certificate that the port shows to a new connection. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw).fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

it('shows a renewed certificate, and keeps the last one while there is none that can be used', async () => {
  const errors: unknown[] = [];
  const [first, second] = [
    await selfSignedPair('127.0.0.1', Date.now()),
    await selfSignedPair('127.0.0.1', Date.now()),
  ];
  const fingerprint = ({ cert }: typeof first) => new X509Certificate(cert).fingerprint256;
  let present = first;
  server = new ComponentServer({
    ...{ address: '127.0.0.1', port: 0, pair: first, renewal: { read: async () => present, everyMs: 5 } },
    ...{ authenticator: { authenticate: nobody } as never, authorizer: { authorize: nobody } as never },
    ...{ allowedPaths: [], handler: { request: nobody }, onError: (error) => void errors.push(error) },
  });
  await server.start();
  const { port } = server;
  expect(await shown(port)).toBe(fingerprint(first));
  present = { cert: second.cert, key: first.key };
  await vi.waitFor(() => expect(errors).not.toEqual([]));
  expect(await shown(port)).toBe(fingerprint(first));
  present = second;
  await vi.waitFor(async () => expect(await shown(port)).toBe(fingerprint(second)));
});
