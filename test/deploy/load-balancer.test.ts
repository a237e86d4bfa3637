import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accepts, freePorts, waitUntil } from '../../tools/up/index.js';
import { helm, type Manifest, render } from './helm.js';
import { OpenSsl } from './openssl.js';

let dir: string;
let objects: Manifest[];
beforeAll(() => {
  helm();
  dir = mkdtempSync(join(tmpdir(), 'orch-load-balancer-'));
  objects = render('values', '--set=loadBalancer.maxConnections=500').objects;
}, 600_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const find = (kind: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === 'orch-load-balancer') as Manifest;

test('the load balancer takes a renewed certificate in the same process, and ends on its stop signal', async () => {
  const [port = 0, healthPort] = await freePorts(2);
  const certificates = join(dir, 'certificates');
  mkdirSync(join(certificates, 'client-ca'), { recursive: true });
  const openSsl = new OpenSsl(certificates);
  const ca = openSsl.authority('ca');
  const subject = { subject: '/CN=balancer', usage: 'serverAuth', hosts: 'DNS:localhost,IP:127.0.0.1' } as const;
  openSsl.leaf('tls', ca, subject);
  openSsl.leaf('front-proxy', ca, { subject: '/CN=front-proxy-client', usage: 'clientAuth' });
  writeFileSync(join(certificates, 'client-ca', 'orch.crt'), ca.cert);
  const configuration = find('ConfigMap')
    .data['haproxy.cfg'].replaceAll('/etc/orch/', `${certificates}/`)
    .replace(':8443', `127.0.0.1:${port}`)
    .replace(':8404', `127.0.0.1:${healthPort}`);
  writeFileSync(join(dir, 'haproxy.cfg'), configuration);
  const [program, ...args] = (find('Deployment').spec.template.spec.containers[0].args as string[]).map((text) =>
    text
      .replaceAll('/etc/orch/', `${certificates}/`)
      .replace('/usr/local/etc/haproxy/', `${dir}/`)
      .replace('sleep 10', 'sleep 0.2'),
  );
  const container = spawn(program as string, args, { stdio: 'ignore' });
  const ended = once(container, 'exit');
  try {
    await waitUntil('HAProxy listens', 10_000, () => accepts(port));
    const serial = async () => {
      const socket = connect({ host: '127.0.0.1', port, ca: ca.cert });
      await once(socket, 'secureConnect');
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    const before = await serial();
    openSsl.leaf('tls', ca, subject);
    await expect.poll(serial, { timeout: 10_000 }).not.toBe(before);
    expect(container.exitCode).toBeNull();
  } finally {
    container.kill('SIGUSR1');
  }
  expect(await ended).toEqual([0, null]);
});
