import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPrograms } from '../../tools/up/index.js';
import { DEPLOY, helm, type Manifest, parseManifests, render } from './helm.js';

const GENERATE = join(DEPLOY, 'manifests', 'generate.sh');
const SECRETS = join(DEPLOY, 'manifests', 'secrets.sh');
const URL = 'postgres://user:p%40ss@db:5432/orch';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-deploy-'));
  helm();
}, 600_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the plain manifests are what the chart renders', () => {
  const env = { ...process.env, HELM: helm() };
  const rendered = execFileSync(GENERATE, ['-'], { env, encoding: 'utf8' });
  expect(readFileSync(join(DEPLOY, 'manifests', 'orch.yaml'), 'utf8'), 'run deploy/manifests/generate.sh').toBe(
    rendered,
  );
});

/** The files of a rendered Secret, decoded. */
function filesOf(objects: readonly Manifest[], name: string): Record<string, string> {
  const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const data: Record<string, string> = secret?.data ?? {};
  return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text, 'base64').toString()]));
}

describe.each([
  ['the chart', () => render('values', '--set=config.advertiseHosts={api.example.com,192.0.2.7}').objects],
  [
    'secrets.sh',
    () => parseManifests(execFileSync(SECRETS, [URL, 'api.example.com', '192.0.2.7'], { encoding: 'utf8' })),
  ],
])('the authorities that %s makes', (name, make) => {
  let objects: Manifest[];
  let folder: string;
  beforeAll(() => {
    objects = make();
    folder = join(dir, name.replaceAll(' ', '-'));
    mkdirSync(folder, { mode: 0o700 });
  });

  test('are taken by servers as they are, and sign what servers need', async () => {
    const files = filesOf(objects, 'orch-pki');
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const pki = await ensurePki({ certDir: folder, bindAddress: '0.0.0.0', names: namesOf('kubernetes') });
    expect(pki.ca.cert).toBe(files['ca.crt']);
    expect(pki.proxyCa.key).toBe(files['front-proxy-ca.key']);
    const serving = new X509Certificate(pki.serving.cert);
    expect(serving.verify(new X509Certificate(pki.ca.cert).publicKey)).toBe(true);
  });

  test('have signed what the load balancer shows and is believed by', () => {
    const { 'ca.crt': ca = '', 'front-proxy-ca.crt': proxyCa = '' } = filesOf(objects, 'orch-pki');
    const balancer = filesOf(objects, 'orch-load-balancer');
    const serving = new X509Certificate(balancer['tls.crt'] ?? '');
    for (const host of ['orch-load-balancer.orch.svc', 'localhost', 'api.example.com'])
      expect(serving.checkHost(host), host).toBe(host);
    expect(serving.checkIP('192.0.2.7')).toBe('192.0.2.7');
    expect(serving.verify(new X509Certificate(ca).publicKey)).toBe(true);
    const proxy = new X509Certificate(balancer['front-proxy.crt'] ?? '');
    expect(proxy.subject).toBe('CN=front-proxy-client');
    expect(proxy.verify(new X509Certificate(proxyCa).publicKey)).toBe(true);
    expect(balancer['ca.crt']).toBe(ca);
  });

  test("make a configuration that HAProxy takes with the chart's", () => {
    const rendered = render('values').objects;
    const map = rendered.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'orch-load-balancer');
    for (const [file, text] of Object.entries(filesOf(objects, 'orch-load-balancer')))
      writeFileSync(join(folder, file), text);
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, map?.data['haproxy.cfg'].replaceAll('/etc/orch/', `${folder}/`));
    execFileSync(findPrograms().haproxy, ['-c', '-q', '-f', file], { stdio: 'pipe' });
  });
});

test('secrets.sh passes the URL of the database on as it is', () => {
  const objects = parseManifests(execFileSync(SECRETS, [URL], { encoding: 'utf8' }));
  expect(filesOf(objects, 'orch-postgres')).toEqual({ url: URL });
});
