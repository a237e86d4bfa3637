import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accepts, freePorts, waitUntil } from '../../tools/up/index.js';
import { helm, type Manifest, render } from './helm.js';
import { type Made, OpenSsl } from './openssl.js';

/** HAProxy takes seconds to load anew where a machine has much else to do. */
const POLL = { timeout: 25_000 };

let dir: string;
let objects: Manifest[];
beforeAll(() => {
  helm();
  dir = mkdtempSync(join(tmpdir(), 'orch-load-balancer-'));
  objects = render('values').objects;
}, 600_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const find = (kind: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === 'orch-load-balancer') as Manifest;

/** The container of the chart in a folder of its own, with certificates of an authority `ca`. */
interface Container {
  readonly folder: string;
  readonly port: number;
  readonly healthPort: number;
  readonly openSsl: OpenSsl;
  readonly ca: Made;
  /** Port of the Services of both tiers, at which nothing listens. */
  readonly servicePort: number;
  /** Runs it where so many files may be open. */
  start(files: number): ChildProcess;
}

const SERVING = { subject: '/CN=balancer', usage: 'serverAuth', hosts: 'DNS:localhost,IP:127.0.0.1' } as const;

async function containerIn(name: string): Promise<Container> {
  const [port = 0, healthPort = 0, servicePort = 0] = await freePorts(3);
  const folder = join(dir, name);
  const certificates = join(folder, 'certificates');
  mkdirSync(join(certificates, 'client-ca'), { recursive: true });
  mkdirSync(join(folder, 'run'));
  const placed = (text: string) =>
    text.replaceAll('/etc/orch/', `${certificates}/`).replaceAll('/var/run/orch', join(folder, 'run'));
  const openSsl = new OpenSsl(certificates);
  const ca = openSsl.authority('ca');
  openSsl.leaf('tls', ca, SERVING);
  openSsl.leaf('front-proxy', ca, { subject: '/CN=front-proxy-client', usage: 'clientAuth' });
  writeFileSync(join(certificates, 'client-ca', 'yours.crt'), ca.cert);
  const configuration = placed(find('ConfigMap').data['haproxy.cfg'])
    .replace(':8443', `127.0.0.1:${port}`)
    .replace(':8404', `127.0.0.1:${healthPort}`)
    .replaceAll(/(server service) orch-\S+\.svc\.cluster\.local:443/g, `$1 127.0.0.1:${servicePort}`);
  writeFileSync(join(folder, 'haproxy.cfg'), configuration);
  const args = (find('Deployment').spec.template.spec.containers[0].args as string[]).map((text) =>
    placed(text).replace('/usr/local/etc/haproxy/', `${folder}/`).replace('sleep 10', 'sleep 0.2'),
  );
  const start = (files: number) =>
    spawn('sh', ['-c', `ulimit -n ${files}; exec "$@"`, 'sh', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { folder, port, healthPort, servicePort, openSsl, ca, start };
}

/** How many connections it takes at a time, as it tells itself. */
async function mostConnections({ healthPort }: Container): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  return Number(/^haproxy_process_max_connections (\d+)/m.exec(await answer.text())?.[1]);
}

test.each([
  ['as many as the files that it may open allow', 400, 'values.yaml', (most: number) => most > 50 && most < 200],
  ['as many as it is told', 20_000, 500, (most: number) => most === 500],
  ['no more than it is told, where files are scarce', 2_000, 500, (most: number) => most > 300 && most <= 500],
] as const)('the load balancer takes %s', async (_, files, told, isRight) => {
  objects = render('values', ...(told === 'values.yaml' ? [] : [`--set=loadBalancer.maxConnections=${told}`])).objects;
  const container = await containerIn(`files-${files}`);
  const process = container.start(files);
  let said = '';
  process.stderr?.on('data', (text) => (said += text));
  const ended = once(process, 'exit');
  try {
    await waitUntil('HAProxy listens', POLL.timeout, () => accepts(container.healthPort));
    const most = await mostConnections(container);
    expect(isRight(most), String(most)).toBe(true);
    expect(/not \d+ connections/.test(said)).toBe(files < 20_000);
  } finally {
    process.kill('SIGUSR1');
  }
  await ended;
});

test('the load balancer asks the Services as long as it knows no address of a pod', async () => {
  objects = render('values').objects;
  const container = await containerIn('services');
  const { port, servicePort, openSsl, ca } = container;
  const { cert, key } = openSsl.leaf('server', ca, SERVING);
  const server = createServer({ cert, key }, (_, response) => response.end('served'));
  await new Promise<void>((resolve) => server.listen(servicePort, '127.0.0.1', resolve));
  const process = container.start(1_000);
  const ended = once(process, 'exit');
  try {
    await waitUntil('HAProxy listens', POLL.timeout, () => accepts(port));
    const caller = openSsl.leaf('caller', ca, { subject: '/CN=jane', usage: 'clientAuth' });
    for (const path of ['/api', '/api?watch=1'])
      for (const shown of [{}, { cert: caller.cert, key: caller.key }]) {
        const [answer] = await once(
          get({ host: '127.0.0.1', port, path, ca: ca.cert, ...shown, agent: false }),
          'response',
        );
        answer.resume();
        expect(answer.statusCode, path).toBe(200);
      }
  } finally {
    process.kill('SIGUSR1');
    server.close();
    server.closeAllConnections();
  }
  await ended;
});

test('the load balancer takes a renewed certificate in the same process, and ends on its stop signal', async () => {
  const made = await containerIn('renewed');
  const { folder, port, openSsl, ca } = made;
  const certificates = join(folder, 'certificates');
  const subject = SERVING;
  const [first, second] = [openSsl.authority('first'), openSsl.authority('second')];
  // Two authorities in a file, without a line break at its end.
  writeFileSync(join(certificates, 'client-ca', 'orch.crt'), (first.cert + second.cert).trimEnd());
  const container = made.start(1_000);
  let said = '';
  container.stderr?.on('data', (text) => (said += text));
  const ended = once(container, 'exit');
  try {
    await waitUntil('HAProxy listens', POLL.timeout, () => accepts(port));
    /** There are no servers behind it: who is believed is told so. */
    const statusFor = async ({ cert, key }: Made): Promise<number | undefined> => {
      const [answer] = await once(get({ host: '127.0.0.1', port, ca: ca.cert, cert, key, agent: false }), 'response');
      answer.resume();
      return answer.statusCode;
    };
    const serial = async () => {
      const socket = connect({ host: '127.0.0.1', port, ca: ca.cert });
      await once(socket, 'secureConnect');
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    for (const by of [first, second, ca])
      expect(
        await statusFor(openSsl.leaf('caller', by, { subject: '/CN=jane', usage: 'clientAuth' })),
        by.certFile,
      ).toBe(503);
    const stranger = openSsl.authority('stranger');
    const other = openSsl.leaf('caller', stranger, { subject: '/CN=jane', usage: 'clientAuth' });
    await expect(statusFor(other)).rejects.toThrow();
    // Authorities that cannot be gathered at first are when they can.
    const authorities = join(certificates, 'client-ca');
    const gathering = join(folder, 'run', 'next.crt');
    mkdirSync(gathering);
    writeFileSync(join(authorities, 'orch.crt'), stranger.cert);
    await expect.poll(() => said, POLL).toContain('next.crt');
    rmSync(gathering, { recursive: true });
    await expect.poll(() => statusFor(other).catch(() => 0), POLL).toBe(503);
    const before = await serial();
    openSsl.leaf('tls', ca, subject);
    await expect.poll(serial, POLL).not.toBe(before);
    // Authorities that are gone for a while: those of before stay, and what comes then is taken.
    for (const name of readdirSync(authorities)) rmSync(join(authorities, name));
    await expect.poll(() => said, POLL).toMatch(/awk: /);
    writeFileSync(join(authorities, 'orch.crt'), second.cert);
    await expect.poll(() => statusFor(other).catch(() => 0), POLL).toBe(0);
    // What stays the same is not loaded anew: a file that is not there has each look at them told.
    symlinkSync('nowhere', join(certificates, 'gone.crt'));
    const looks = () => said.split('gone.crt').length - 1;
    const gathered = () => statSync(join(folder, 'run', 'client-ca.crt')).mtimeMs;
    await expect.poll(looks, POLL).toBeGreaterThan(0);
    const [then, number] = [gathered(), looks()];
    await expect.poll(looks, POLL).toBeGreaterThan(number + 1);
    expect(gathered()).toBe(then);
    expect(container.exitCode).toBeNull();
  } finally {
    container.kill('SIGUSR1');
  }
  expect(await ended).toEqual([0, null]);
});
