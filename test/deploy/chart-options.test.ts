import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitions as apiServer } from '@orch/api-server';
import type { OptionDefinition, OptionDefinitions } from '@orch/runtime';
import { definitions as watchGateway } from '@orch/watch-gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helm, type Manifest, render } from './helm.js';

/** Options that the chart sets from values of its own; setting them again would duplicate them. */
const BY_THE_CHART = [
  ...['bind-address', 'secure-port', 'naming', 'nats-url', 'migrate', 'gateway-url', 'postgres-url', 'v'],
  ...['tls-cert-file', 'tls-private-key-file', 'tls-ca-file', 'client-ca-file', 'requestheader-client-ca-file'],
  ...['proxy-client-cert-file', 'proxy-client-key-file', 'gateway-client-cert-file', 'gateway-client-key-file'],
  ...['history-retention', 'watch-cache-bytes', 'watch-bookmark-interval', 'request-timeout', 'min-request-timeout'],
  ...['max-watch-age', 'shutdown-delay-duration', 'shutdown-drain-duration', 'logging-format', 'cluster-admin-users'],
  ...['kubelet-client-certificate', 'kubelet-client-key', 'kubelet-client-users'],
];
/** Options whose value is a path and no single file of a Secret or ConfigMap, and how each is set instead. */
const OTHER_PATHS: Readonly<Record<string, string>> = {
  'audit-log-path': 'audit.log.enabled: standard output, as the image is read-only; a file on a volume by extraArgs',
  'cert-dir': 'nothing is made in it, as each of its files has an option that the chart gives',
  'kubeconfig-out': 'the Secret orch-admin',
  'tls-sni-cert-key': 'options, and the volume of both files by pods.extraVolumes',
};

const isFile = (name: string): boolean => /-(file|config)$/.test(name);

/** A value that an option could have; only its form counts here. */
const SOME: Readonly<Record<OptionDefinition['type'], string | number | boolean>> = {
  string: 'text',
  int: 7,
  float: 0.5,
  duration: '7s',
  bytes: '7Mi',
  bool: true,
  list: 'one,two',
  map: 'one=true',
};

const ofEither: OptionDefinitions = { ...watchGateway, ...apiServer };
const ofBoth = Object.keys(ofEither).filter((name) => name in apiServer && name in watchGateway);
const ofOne = Object.keys(ofEither).filter((name) => !ofBoth.includes(name));

let dir: string;
beforeAll(() => {
  helm();
  dir = mkdtempSync(join(tmpdir(), 'orch-values-'));
}, 600_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function deployments(values: object): { name: string; args: string[]; pod: Manifest }[] {
  const file = join(dir, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return render('values', `--values=${file}`)
    .objects.filter(({ kind, metadata }) => kind === 'Deployment' && !metadata.name.includes('load-balancer'))
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      args: spec.template.spec.containers[0].args,
      pod: spec.template.spec,
    }));
}

const named = (args: readonly string[], name: string) =>
  args.filter((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));

test('what the chart says itself, it says in one of the tiers at least', () => {
  const values = {
    postgres: { migratorUrlKey: 'migrator' },
    config: { naming: 'orch' },
    loadBalancer: { enabled: false },
  };
  const args = deployments(values).flatMap(({ args }) => args);
  const fromSecrets = ['postgres-url'];
  for (const name of BY_THE_CHART.filter((each) => !fromSecrets.includes(each)))
    expect(named(args, name), name).not.toEqual([]);
});

test('every other option of both tiers is set by options, and by optionFiles where it names a file', () => {
  const others = ofBoth.filter((name) => !BY_THE_CHART.includes(name) && !(name in OTHER_PATHS));
  expect(others.length).toBeGreaterThan(100);
  const files = others.filter(isFile);
  const options = Object.fromEntries(
    others.filter((name) => !isFile(name)).map((name) => [name, SOME[(ofEither[name] as OptionDefinition).type]]),
  );
  const optionFiles = Object.fromEntries(
    files.map((name, at) => [name, { [at % 2 ? 'secret' : 'configMap']: `of-${at}`, key: 'text' }]),
  );
  const both = deployments({ options, optionFiles });
  expect(both).toHaveLength(2);
  for (const { args, pod } of both) {
    for (const [name, value] of Object.entries(options)) expect(named(args, name)).toEqual([`--${name}=${value}`]);
    const { volumeMounts } = pod.containers[0];
    for (const [name, { secret, configMap }] of Object.entries(optionFiles)) {
      expect(named(args, name)).toEqual([`--${name}=/etc/orch/files/${name}/text`]);
      const mount = volumeMounts.find(({ mountPath }: Manifest) => mountPath === `/etc/orch/files/${name}`);
      const volume = pod.volumes.find((each: Manifest) => each.name === mount?.name);
      expect(volume).toMatchObject(secret ? { secret: { secretName: secret } } : { configMap: { name: configMap } });
      expect(volume.name.length).toBeLessThanOrEqual(63);
    }
    expect(new Set(pod.volumes.map((each: Manifest) => each.name)).size).toBe(pod.volumes.length);
  }
});

test('no other option names a path', () => {
  const paths = Object.entries(ofEither).filter(
    ([name, { help }]) => !isFile(name) && /^(File|Folder|Socket|Path|Certificate and key)\b/.test(help ?? ''),
  );
  expect(paths.map(([name]) => name).sort()).toEqual(Object.keys(OTHER_PATHS).sort());
  const apart = Object.keys(ofEither).filter((name) => isFile(name) && !ofBoth.includes(name));
  expect(
    apart.filter((name) => !BY_THE_CHART.includes(name)),
    'optionFiles are of both tiers',
  ).toEqual([]);
});

test('a pair of files is set by a volume and an option', () => {
  const volume = { name: 'sni', secret: { secretName: 'sni' } };
  const mount = { name: 'sni', mountPath: '/etc/orch/sni' };
  const value = '/etc/orch/sni/tls.crt,/etc/orch/sni/tls.key:api.example.com';
  const values = {
    options: { 'tls-sni-cert-key': value },
    pods: { extraVolumes: [volume], extraVolumeMounts: [mount] },
  };
  for (const { args, pod } of deployments(values)) {
    expect(named(args, 'tls-sni-cert-key')).toEqual([`--tls-sni-cert-key=${value}`]);
    expect(pod.volumes).toContainEqual(volume);
    expect(pod.containers[0].volumeMounts).toContainEqual(mount);
  }
});

test('an option of one tier is set by the extra arguments of that tier', () => {
  const extra = (definitions: OptionDefinitions) =>
    ofOne.filter((name) => name in definitions && !BY_THE_CHART.includes(name)).map((name) => `--${name}=x`);
  const tiers = deployments({
    apiServer: { extraArgs: extra(apiServer) },
    gateway: { extraArgs: extra(watchGateway) },
  });
  for (const { name, args } of tiers)
    for (const arg of extra(name.includes('api-server') ? apiServer : watchGateway)) expect(args).toContain(arg);
});

test('pods have what is asked for beside their own', () => {
  const pods = {
    annotations: { 'example.com/a': 'b' },
    extraEnv: [{ name: 'A', value: 'b' }],
    extraVolumes: [{ name: 'kms', hostPath: { path: '/run/kms', type: 'Directory' } }],
    extraVolumeMounts: [{ name: 'kms', mountPath: '/run/kms' }],
    sidecars: [{ name: 'plugin', image: 'plugin:1' }],
  };
  for (const { pod } of deployments({ pods })) {
    const [server, sidecar] = pod.containers;
    expect(server.env).toContainEqual(pods.extraEnv[0]);
    expect(server.volumeMounts).toContainEqual(pods.extraVolumeMounts[0]);
    expect(pod.volumes).toContainEqual(pods.extraVolumes[0]);
    expect(sidecar).toEqual(pods.sidecars[0]);
  }
});

const startOf = (values: object): string[] => {
  const file = join(dir, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return render('values', `--values=${file}`)
    .objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ metadata, spec }) => `${metadata.name} ${spec.template.metadata.annotations?.['checksum/start']}`);
};

test.each([
  ['the number of NATS servers', { nats: { bundled: { replicas: 1 } } }, ['orch-nats']],
  ['the user of NATS', { nats: { auth: { secret: 'nats', user: 'another' } } }, ['orch-nats']],
  [
    'the audit policy',
    { audit: { policy: 'kind: Policy', log: { enabled: true } } },
    ['orch-api-server', 'orch-watch-gateway'],
  ],
  ['what the balancer takes', { loadBalancer: { maxServers: 4 } }, ['orch-load-balancer']],
])('pods that read %s at their start are replaced when it changes', (_, values, expected) => {
  const before = startOf({});
  const changed = startOf(values).filter((each) => !before.includes(each));
  expect(changed.map((each) => each.split(' ')[0]).sort()).toEqual([...expected].sort());
});

test('with IPv6 pods listen on both families, and Services have both where they can', () => {
  const { objects, text } = render('values', '--set=ipv6=true');
  for (const { args } of deployments({ ipv6: true })) expect(args).toContain('--bind-address=::');
  for (const { kind, spec, metadata } of objects)
    if (kind === 'Service') expect(spec.ipFamilyPolicy, metadata.name).toBe('PreferDualStack');
  expect(text.match(/bind :::\d+ v4v6/g)).toHaveLength(2);
});
