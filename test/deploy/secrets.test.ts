import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
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

test('a URL on standard input needs no line break, and nothing is made of none', () => {
  const from = (input: string) =>
    execFileSync(SECRETS, [join(dir, 'piped'), '-'], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  for (const input of [URL, `${URL}\n`]) expect(filesOf(parseManifests(from(input)), 'orch-postgres').url).toBe(URL);
  for (const input of ['', '\n']) expect(() => from(input)).toThrow(/no URL/);
});

/** The files of a rendered Secret, decoded. */
function filesOf(objects: readonly Manifest[], name: string): Record<string, string> {
  const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const data: Record<string, string> = secret?.data ?? {};
  return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text, 'base64').toString()]));
}

describe.each([
  ['the chart', () => render('values', '--set=config.advertiseHosts={api.example.com,192.0.2.7}').objects],
  ['secrets.sh', () => parseManifests(runSecrets('sh', URL, 'api.example.com', '192.0.2.7'))],
])('the certificates that %s makes', (name, make) => {
  let objects: Manifest[];
  let folder: string;
  const files = (secret: string) => filesOf(objects, secret);
  const certificate = (secret: string, file: string) => new X509Certificate(files(secret)[file] ?? '');

  beforeAll(() => {
    objects = make();
    folder = join(dir, name.replaceAll(' ', '-'));
    mkdirSync(folder, { mode: 0o700 });
  });

  test.each(['orch-servers', 'orch-load-balancer'])('are good for what shows them: %s', (secret) => {
    const serving = certificate(secret, 'tls.crt');
    for (const host of ['orch-load-balancer.orch.svc', 'orch-watch-gateway.orch.svc', 'localhost', 'api.example.com'])
      expect(serving.checkHost(host), host).toBe(host);
    for (const ip of ['192.0.2.7', '127.0.0.1']) expect(serving.checkIP(ip)).toBe(ip);
    expect(serving.verify(certificate(secret, 'ca.crt').publicKey)).toBe(true);
    expect(files(secret)['ca.crt']).toBe(files('orch-servers')['ca.crt']);
  });

  test('are of one direction each, and held by those alone who need them', () => {
    const names = { 'aggregator.crt': 'aggregator-client', 'gateway-client.crt': 'gateway-client' };
    const authority = certificate('orch-servers', 'front-proxy-ca.crt');
    const subjects = (secret: string) =>
      Object.fromEntries(
        Object.keys(files(secret))
          .filter((file) => file.endsWith('.crt') && certificate(secret, file).verify(authority.publicKey))
          .map((file) => [file, certificate(secret, file).subject.replace(/^CN=/, '')]),
      );
    const { 'front-proxy-ca.crt': _itself, ...ofServers } = subjects('orch-servers');
    expect(ofServers).toEqual(names);
    expect(subjects('orch-load-balancer')).toEqual({ 'front-proxy.crt': 'front-proxy-client' });
  });

  test('have kubelets know servers by a client certificate of the authority of callers', () => {
    const [secret, file] =
      name === 'the chart' ? ['orch-servers', 'kubelet-client.crt'] : ['orch-kubelet-client', 'tls.crt'];
    const client = certificate(secret, file);
    expect(client.subject).toBe('CN=apiserver-kubelet-client');
    expect(client.verify(certificate('orch-servers', 'ca.crt').publicKey)).toBe(true);
    expect(client.checkPrivateKey(createPrivateKey(files(secret)[file.replace('.crt', '.key')] ?? ''))).toBe(true);
  });

  test('leave the keys of authorities out of what is mounted', () => {
    for (const secret of ['orch-servers', 'orch-load-balancer'])
      expect(Object.keys(files(secret)).filter((file) => /ca\.key$/.test(file))).toEqual([]);
  });

  test("make a configuration that HAProxy takes with the chart's", () => {
    const rendered = render('values').objects;
    const map = rendered.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'orch-load-balancer');
    for (const [file, text] of Object.entries(files('orch-load-balancer'))) writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, 'client-ca.crt'), files('orch-servers')['ca.crt'] ?? '');
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, map?.data['haproxy.cfg'].replaceAll(/\/(?:etc|var\/run)\/orch\//g, `${folder}/`));
    execFileSync(findPrograms().haproxy, ['-c', '-q', '-f', file], { stdio: 'pipe' });
  });
});

describe('secrets.sh', () => {
  test('passes the URL of the database on as it is, also from standard input', () => {
    expect(filesOf(parseManifests(runSecrets('url', URL)), 'orch-postgres')).toEqual({ url: URL });
    const piped = execFileSync(SECRETS, [join(dir, 'url'), '-'], { input: `${URL}\n`, encoding: 'utf8' });
    expect(filesOf(parseManifests(piped), 'orch-postgres')).toEqual({ url: URL });
  });

  test('makes new certificates of the same authorities when it is run again', () => {
    const [first, second] = [1, 2].map(() => filesOf(parseManifests(runSecrets('again', URL)), 'orch-servers'));
    expect(second?.['ca.crt']).toBe(first?.['ca.crt']);
    expect(second?.['front-proxy-ca.crt']).toBe(first?.['front-proxy-ca.crt']);
    expect(second?.['tls.crt']).not.toBe(first?.['tls.crt']);
  });

  test('writes a kubeconfig of an administrator where only its owner can read it', () => {
    runSecrets('admin', URL, '2001:db8::1');
    const file = join(dir, 'admin', 'admin.kubeconfig');
    expect(statSync(file).mode & 0o077).toBe(0);
    const { clusters, users } = parse(readFileSync(file, 'utf8'));
    expect(clusters[0].cluster.server).toBe('https://[2001:db8::1]');
    const admin = new X509Certificate(Buffer.from(users[0].user['client-certificate-data'], 'base64'));
    expect(admin.subject).toBe('O=system:masters\nCN=admin');
  });
});

/** Runs secrets.sh with a folder of that name. Returns its output. */
const runSecrets = (keys: string, ...args: string[]): string =>
  execFileSync(SECRETS, [join(dir, keys), ...args], { encoding: 'utf8' });
