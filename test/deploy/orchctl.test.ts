import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseYaml } from '@orch/codec';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ORCHCTL } from '../../tools/up/index.js';

const INGRESS = `# who is asked for what
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend: {serviceName: web, servicePort: http}
`;
const DEPLOYMENT = `apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: example.com/c}]}
`;
const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "1"}\n';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'orchctl-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function orchctl(args: readonly string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [ORCHCTL, ...args], {
    encoding: 'utf8',
    input,
    maxBuffer: 64 << 20,
    cwd: dir,
    env: { PATH: process.env.PATH, ORCH_NAMING: 'kubernetes', ...env },
  });
  return { stdout, stderr, status };
}

const documents = (text: string) => text.split(/^---\n/m).map((each) => parseYaml(each).value as { kind?: string });

describe('orchctl', () => {
  test('says what it can do', () => {
    expect(orchctl(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('convert') });
    expect(orchctl([])).toMatchObject({ status: 1, stdout: '' });
    expect(orchctl(['nothing'])).toMatchObject({ status: 1, stdout: '' });
    expect(orchctl(['--version']).stdout).toMatch(/^orchctl \d/);
    expect(orchctl(['convert', '--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('--naming') });
  });
});

describe('orchctl convert', () => {
  test('brings documents to the versions of today, in order, and writes out what was meant', () => {
    const path = file('all.yaml', `${INGRESS}---\n${DEPLOYMENT}---\n${CONFIG}`);
    const { stdout, stderr, status } = orchctl(['convert', '-f', path]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(documents(stdout)).toEqual([
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'web' },
        spec: { defaultBackend: { service: { name: 'web', port: { name: 'http' } } } },
      },
      expect.objectContaining({
        apiVersion: 'apps/v1',
        spec: expect.objectContaining({
          selector: { matchLabels: { app: 'web' } },
          progressDeadlineSeconds: 2147483647,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
        }),
      }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } },
    ]);
    // What was converted once is as it should be.
    expect(orchctl(['convert', '-f', '-'], { input: stdout })).toEqual({ stdout, stderr: '', status: 0 });
  });

  test('goes to the version asked for, and back', () => {
    const args = ['convert', '-f', '-', '--output-version', 'extensions/v1beta1'];
    const today = orchctl(['convert', '-f', '-'], { input: DEPLOYMENT }).stdout;
    const old = orchctl(args, { input: today });
    expect(old.status).toBe(0);
    expect(documents(old.stdout)[0]).toMatchObject({ apiVersion: 'extensions/v1beta1' });
    const again = orchctl(['convert', '-f', '-', '--output-version=apps/v1'], { input: old.stdout });
    expect(documents(again.stdout)[0]).toMatchObject(documents(today)[0] ?? {});
    // A kind that the version does not have is not kept back by it.
    const other = orchctl(args, { input: CONFIG });
    expect(other).toMatchObject({ status: 0, stdout: expect.stringContaining('kind: ConfigMap') });
    expect(other.stderr).toBe(
      'Warning: standard input:1: there is no ConfigMap in extensions/v1beta1: it is converted to v1\n',
    );
  });

  test('reads JSON and writes JSON: one object, or a List of several', () => {
    const json = JSON.stringify({ apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { name: 'c' } });
    const one = orchctl(['convert', '-f', '-', '-o', 'json'], { input: json });
    expect(JSON.parse(one.stdout)).toMatchObject({ apiVersion: 'batch/v1', kind: 'CronJob' });
    const two = JSON.parse(orchctl(['convert', '-f', '-', '-ojson'], { input: `${json}\n${json}` }).stdout);
    expect(two).toMatchObject({ apiVersion: 'v1', kind: 'List', items: [{ kind: 'CronJob' }, { kind: 'CronJob' }] });
  });

  test('converts what lists hold, whatever their kind', () => {
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'h' } };
    const typed = { apiVersion: 'coordination.k8s.io/v1beta1', kind: 'LeaseList', metadata: {}, items: [lease] };
    const list = { apiVersion: 'v1', kind: 'List', items: [{ ...lease, apiVersion: typed.apiVersion, kind: 'Lease' }] };
    const converted = (value: object) =>
      JSON.parse(orchctl(['convert', '-f-', '-ojson'], { input: JSON.stringify(value) }).stdout);
    expect(converted(typed)).toMatchObject({ apiVersion: 'coordination.k8s.io/v1', kind: 'LeaseList', items: [lease] });
    expect(converted({ ...typed, items: null })).toMatchObject({ kind: 'LeaseList', items: [] });
    // What has the kind of an item is none.
    expect(converted({ ...list.items[0], items: [] })).toEqual({
      ...list.items[0],
      apiVersion: 'coordination.k8s.io/v1',
    });
    expect(converted(list)).toMatchObject({ kind: 'List', items: [{ apiVersion: 'coordination.k8s.io/v1' }] });
  });

  test('reads what it can of a directory, and follows no links to directories', () => {
    for (const name of ['links/a.yaml', 'links/c.yaml']) file(name, CONFIG);
    writeFileSync(
      join(dir, 'links/b.yaml'),
      Buffer.from('apiVersion: v1\nkind: ConfigMap\ndata: {a: caf\xe9}\n', 'latin1'),
    );
    symlinkSync('nowhere', join(dir, 'links/b.yml'));
    symlinkSync('.', join(dir, 'links/d'));
    const { status, stdout, stderr } = orchctl(['convert', '-R', '-f', 'links']);
    expect(documents(stdout)).toHaveLength(2);
    expect(stderr.split('\n')).toEqual([
      'Error: links/b.yaml: is not a text in UTF-8',
      expect.stringMatching(/^Error: links\/b.yml: ENOENT/),
      '',
    ]);
    expect(status).toBe(1);
  });

  test('reads the rest of a directory that holds another which cannot be read', () => {
    for (const name of ['deep/a.yaml', 'deep/c.yaml']) file(name, CONFIG);
    // Too deep for a path: unreadable for everybody, whoever runs this.
    const path = join('deep/b', ...Array.from({ length: 25 }, () => 'x'.repeat(200)));
    expect(spawnSync('mkdir', ['-p', path], { cwd: dir }).status).toBe(0);
    const { status, stdout, stderr } = orchctl(['convert', '-R', '-f', 'deep']);
    spawnSync('rm', ['-r', 'deep/b'], { cwd: dir });
    expect(documents(stdout)).toHaveLength(2);
    expect(stderr).toMatch(/^Error: deep\/b\/x[^\n]*: ENAMETOOLONG[^\n]*\n$/);
    expect(status).toBe(1);
  });

  test('tells of a file that is too long, and reads the others', () => {
    truncateSync(file('long.yaml', ''), 3 * 2 ** 30);
    const { status, stdout, stderr } = orchctl(['convert', '-f', 'long.yaml', '-f', file('short.yaml', CONFIG)]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'Error: long.yaml: is longer than 256 MiB\n' });
    expect(documents(stdout)).toHaveLength(1);
  });

  test('fails where there is nothing to convert, as a file may have been forgotten', () => {
    mkdirSync(join(dir, 'bare'));
    for (const args of [['-f', 'bare'], ['-f-'], ['-f', file('comment.yaml', '# nothing\n---\n')]]) {
      const { status, stdout, stderr } = orchctl(['convert', ...args]);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^Error: nothing to convert in /);
    }
  });

  test('reads as many documents as there are', () => {
    const { status, stdout } = orchctl(['convert', '-f', '-'], {
      input: '{"apiVersion":"v1","kind":"List","items":[]}\n'.repeat(150_000),
    });
    expect(status).toBe(0);
    expect(stdout.match(/^kind: List$/gm)).toHaveLength(150_000);
  });

  test('reads directories in order, and those within when asked', () => {
    file('tree/b.yml', DEPLOYMENT);
    file('tree/a.json', JSON.stringify(parseYaml(INGRESS).value));
    file('tree/readme.txt', 'no manifest');
    file('tree/within/c.yaml', CONFIG);
    const kinds = (args: string[]) => documents(orchctl(['convert', ...args]).stdout).map(({ kind }) => kind);
    expect(kinds(['-f', 'tree'])).toEqual(['Ingress', 'Deployment']);
    expect(kinds(['-R', '-f', 'tree'])).toEqual(['Ingress', 'Deployment', 'ConfigMap']);
    expect(kinds(['-f', 'tree/b.yml,tree/a.json', '-f', 'tree/within'])).toEqual([
      'Deployment',
      'Ingress',
      'ConfigMap',
    ]);
  });

  test('stops quietly when nobody reads on', () => {
    const path = file('many.yaml', `${CONFIG}---\n`.repeat(20_000));
    const args = ['-c', '"$0" "$1" convert -f "$2" | head -1', process.execPath, ORCHCTL, path];
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'apiVersion: v1\n', stderr: '' });
  });

  test('tells in which line what is wrong, and converts the rest', () => {
    const path = file(
      'wrong.yaml',
      `${INGRESS}---
apiVersion: example.com/v1
kind: Nothing
---
a: b: c
---
- 1
---
kind: Deployment
---
apiVersion: apps/v1
kind: Deployment
spec: {replicas: many}
---
apiVersion: v1
kind: List
items: [{apiVersion: policy/v1beta1, kind: PodSecurityPolicy}, {apiVersion: v1, kind: Secret, metadata: {name: s}}]
---
${CONFIG}`,
    );
    const { stdout, stderr, status } = orchctl(['convert', '-f', path, '-f', 'missing.yaml']);
    expect(status).toBe(1);
    expect(stderr.split('\n').map((line) => line.replace(path, 'F'))).toEqual([
      'Error: F:9: no kind Nothing is known in example.com/v1',
      'Error: F:12: Nested mappings are not allowed in compact mappings',
      'Error: F:14: a manifest must be an object',
      'Error: F:16: apiVersion is not set',
      expect.stringMatching(/^Error: F:18: .*replicas/),
      'Error: F:22: items[0]: PodSecurityPolicy of policy/v1beta1 went with release 1.25 and has no successor',
      expect.stringMatching(/^Error: missing.yaml: ENOENT/),
      '',
    ]);
    expect(documents(stdout).map(({ kind }) => kind)).toEqual(['Ingress', 'List', 'ConfigMap']);
  });

  test('tells what is left out, what stands twice and what would be refused', () => {
    const { stderr, status } = orchctl(['convert', '-f', '-'], {
      input: `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  version: v1
  version: v2
  more: true
  names: {plural: foos, kind: Foo}
`,
    });
    expect(status).toBe(0);
    const refused = 'Warning: standard input:1: CustomResourceDefinition of apiextensions.k8s.io/v1 would be refused: ';
    expect(stderr.trim().split('\n')).toEqual([
      'Warning: standard input:7: key "version" already set in map',
      'Warning: standard input:1: unknown field "spec.more" is left out',
      `${refused}spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required`,
      expect.stringContaining(`${refused}spec.preserveUnknownFields: Invalid value: true`),
    ]);
  });

  test('knows the groups of the naming profile, and says when they are those of the other', () => {
    const input = INGRESS.replace('k8s.io', 'orch.io');
    const orch = orchctl(['convert', '-f', '-', '--naming=orch'], { input });
    expect(orch).toMatchObject({ status: 0, stdout: expect.stringContaining('apiVersion: networking.orch.io/v1\n') });
    const wrong = orchctl(['convert', '-f', '-'], { input });
    expect(wrong).toMatchObject({ status: 1, stdout: '' });
    expect(wrong.stderr).toContain('no kind Ingress is known in networking.orch.io/v1beta1 without --naming=orch\n');
    // The variables of servers mean nothing here.
    const env = { ORCH_NAMING: 'orch', ORCH_POSTGRES_URL: 'postgres://x' };
    expect(orchctl(['convert', '-f', '-'], { input, env })).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    [[]],
    [['-f']],
    [['-f', 'x', '-o', 'table']],
    [['-f', 'x', '--output-version', 'nothing/v1']],
    [['-f', 'x', '--unknown']],
    [['x.yaml']],
  ])('refuses the options %j', (args) => {
    const { stdout, stderr, status } = orchctl(['convert', ...args]);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(/^Error: /);
  });
});

describe('orchctl storage and orchctl nats', () => {
  test('say what they can do, and what is missing', () => {
    expect(orchctl(['storage', '--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('roles') });
    expect(orchctl(['nats'])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('users') });
    expect(orchctl(['storage', 'roles'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--postgres-url (or ORCH_POSTGRES_URL) is required'),
    });
    expect(orchctl(['storage', 'migrate'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--postgres-url'),
    });
    const oneRole = ['storage', 'roles', '--print', '--gateway-role=orch_migrator'];
    expect(orchctl(oneRole)).toMatchObject({ status: 1, stderr: expect.stringContaining('name three roles') });
    expect(orchctl(['storage', 'roles', '--print', "--gateway-role=x'; DROP"])).toMatchObject({
      status: 1,
      stdout: '',
    });
  });

  test('print the SQL of roles, and the permissions of users, without a database', () => {
    const { stdout, status } = orchctl(['storage', 'roles', '--print', '--audit-postgres', '--gateway-role=reader']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^BEGIN;\n[\s\S]*CREATE ROLE "reader" NOLOGIN[\s\S]*"audit"[\s\S]*COMMIT;\n$/);
    expect(stdout).not.toContain('PASSWORD');
    const prefixed = orchctl(['storage', 'roles', '--print', '--role-prefix=shop']).stdout;
    for (const role of ['shop_migrator', 'shop_api_server', 'shop_gateway']) expect(prefixed).toContain(`"${role}"`);
    const users = orchctl(['nats', 'users', '--cluster-id=c-1']);
    expect(users.stdout).toContain('publish: { allow: ["orch.c-1.changes.*", ');
    expect(users.stdout).toContain('password: $ORCH_GATEWAY_NATS_PASSWORD');
    const commands = orchctl(['nats', 'users', '--cluster-id=c-1', '--format=nsc']).stdout.split('\n');
    expect(commands[1]).toMatch(/^nsc add user --name orch_gateway --allow-pub '\$JS\.API\.INFO,/);
  });

  test('tell no password, neither of a file nor of a URL', () => {
    const wrong = file('password', 'not\none line\n');
    const url = 'postgres://u:a-secret-of-mine@127.0.0.1:1/d';
    const env = { ORCH_POSTGRES_URL: url };
    const refused = orchctl(['storage', 'roles', `--gateway-password-file=${wrong}`], { env });
    expect(refused).toMatchObject({
      status: 1,
      stderr: `Error: ${wrong}: a password is one line of printable ASCII characters\n`,
    });
    const bad = orchctl(['storage', 'roles'], { env: { ORCH_POSTGRES_URL: `${url}?sslmode=none` } });
    expect(bad.status).toBe(1);
    expect(bad.stderr).toMatch(/^Error: .*sslmode/);
    expect(bad.stderr + refused.stderr).not.toContain('a-secret-of-mine');
  });
});
