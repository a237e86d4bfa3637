import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesOf } from '@orch/machinery';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KubeconfigError } from './entry-reader.js';
import { loadConnection, readKubeconfig } from './read.js';
import { UsersByHost } from './users-by-host.js';
import { writeKubeconfig } from './write.js';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  file = join(dir, 'sub', 'config');
});
afterEach(() => rm(dir, { recursive: true }));

test('what is written is read back, and nobody else can read it', async () => {
  const connection = {
    server: 'https://127.0.0.1:6443',
    ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    cert: 'cert\n',
    key: 'key\n',
    token: 'yes: "a token" # with signs',
    tlsServerName: 'api',
    proxyUrl: 'http://proxy:3128',
    disableCompression: true,
    namespace: 'dev',
  };
  await writeKubeconfig(file, connection);
  expect(await readKubeconfig(file)).toEqual(connection);
  for (const name of ['cert', 'key', 'token']) await writeFile(join(dir, name), name);
  const inFiles = {
    server: 'https://127.0.0.1:6443',
    insecureSkipTlsVerify: true,
    certFile: join(dir, 'cert'),
    keyFile: join(dir, 'key'),
    tokenFile: join(dir, 'token'),
  };
  for (const other of [inFiles, { server: 'https://x', basic: { username: 'u', password: 'p: #' } }]) {
    await writeKubeconfig(file, other);
    expect(await readKubeconfig(file)).toEqual(other);
  }
  await writeKubeconfig(file, connection);
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  await writeKubeconfig(file, { server: 'http://localhost:8080' }, 'plain');
  expect(await readKubeconfig(file)).toEqual({ server: 'http://localhost:8080' });
  expect(await readKubeconfig(file, { context: 'plain' })).toEqual({ server: 'http://localhost:8080' });
  expect(await readdir(join(dir, 'sub'))).toEqual(['config']);
});

const config = (user: string, cluster = '{server: "https://one:1", certificate-authority: ../ca.pem}') => `
apiVersion: v1
kind: Config
current-context: two
clusters:
- {name: c, cluster: ${cluster}}
users:
- {name: u, user: ${user}}
contexts:
- {name: one, context: {cluster: c}}
- {name: two, context: {cluster: c, user: u}}
- {name: lost, context: {cluster: gone, user: u}}
`;
const put = async (text: string, path = file) => {
  await mkdir(join(dir, 'sub'), { recursive: true });
  await writeFile(path, text);
  for (const name of ['ca', 'cert', 'key']) await writeFile(join(dir, `${name}.pem`), `the ${name}`);
  await writeFile(join(dir, 'sub', 'token'), 't0\n');
};
const one = { server: 'https://one:1', ca: 'the ca' };

describe('a kubeconfig', () => {
  test.each([
    ['certificate and key', '{client-certificate-data: Y2VydA==, client-key-data: a2V5}', { cert: 'cert', key: 'key' }],
    [
      'certificate and key in files, which stay files',
      '{client-certificate: ../cert.pem, client-key: ../key.pem}',
      () => ({ certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') }),
    ],
    [
      'a certificate in a file and a key inline',
      '{client-certificate: ../cert.pem, client-key-data: a2V5}',
      { cert: 'the cert', key: 'key' },
    ],
    ['a token', '{token: t1}', { token: 't1' }],
    ['a token file', '{tokenFile: token}', () => ({ tokenFile: join(dir, 'sub', 'token') })],
    ['user and password', '{username: a, password: b}', { basic: { username: 'a', password: 'b' } }],
    ['user without password', '{username: a}', { basic: { username: 'a', password: '' } }],
    [
      'impersonation',
      '{as: jane, as-uid: "7", as-groups: [a, b], as-user-extra: {scopes: [x, y]}}',
      { impersonate: { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x', 'y'] } } },
    ],
    ['nothing', '{}', {}],
    ['null', 'null', {}],
  ])('holds %s', async (_what, user, expected) => {
    await put(config(user));
    expect(await readKubeconfig(file)).toEqual({ ...one, ...(typeof expected === 'function' ? expected() : expected) });
    expect(await readKubeconfig(file, { context: 'one' })).toEqual(one);
  });

  test.each([
    ['{server: "https://one:1/base/"}', { server: 'https://one:1/base/' }],
    ['{server: "one:8080"}', { server: 'http://one:8080' }],
    ['{server: "https://one", certificate-authority-data: Y2E=}', { server: 'https://one', ca: 'ca' }],
    [
      '{server: "https://one", insecure-skip-tls-verify: true, tls-server-name: two}',
      { server: 'https://one', insecureSkipTlsVerify: true, tlsServerName: 'two' },
    ],
    [
      '{server: "https://one", proxy-url: "socks5://u:p@proxy:1", disable-compression: true}',
      { server: 'https://one', proxyUrl: 'socks5://u:p@proxy:1', disableCompression: true },
    ],
  ])('with the cluster %s', async (cluster, expected) => {
    await put(config('{}', cluster));
    expect(await readKubeconfig(file)).toEqual(expected);
  });

  test('sends no secret to a server that is spoken to in the clear', async () => {
    await put(config('{token: t1, as: jane}', '{server: "http://one"}'));
    expect(await readKubeconfig(file)).toEqual({ server: 'http://one', impersonate: { user: 'jane' } });
  });

  const plugin = (more: string, naming = 'orch.io') =>
    `{exec: {command: ./get, apiVersion: client.authentication.${naming}/v1beta1, ${more}}}`;

  test('holds a credential plugin, in the names of the profile', async () => {
    const cluster = `{server: "https://one", extensions: [{name: other, extension: 1},
      {name: client.authentication.orch.io/exec, extension: {audience: me}}]}`;
    await put(
      config(plugin('args: [a], env: [{name: N, value: v}], installHint: get it, provideClusterInfo: true'), cluster),
    );
    expect((await readKubeconfig(file)).exec).toEqual({
      apiVersion: 'client.authentication.orch.io/v1beta1',
      command: join(dir, 'sub', 'get'),
      args: ['a'],
      env: { N: 'v' },
      installHint: 'get it',
      provideClusterInfo: true,
      interactiveMode: 'IfAvailable',
      config: { audience: 'me' },
    });
    await expect(readKubeconfig(file, { names: namesOf('kubernetes') })).rejects.toThrow(/invalid apiVersion/);
    await put(config(plugin('command: get, interactiveMode: Never', 'k8s.io').replace('command: ./get, ', '')));
    expect((await readKubeconfig(file, { names: namesOf('kubernetes') })).exec).toMatchObject({
      command: 'get',
      interactiveMode: 'Never',
      provideClusterInfo: false,
    });
  });

  const exec = (members: string) => config(`{exec: ${members}}`);
  test.each([
    ['an auth provider', config('{auth-provider: {name: oidc}}'), undefined, 'auth-provider "oidc" is not supported'],
    ['a provider and a plugin', config('{auth-provider: {}, exec: {}}'), undefined, 'cannot be combined'],
    ['a plugin without command', exec('{apiVersion: x}'), undefined, 'command must be specified'],
    ['a plugin without version', exec('{command: x}'), undefined, 'apiVersion must be specified'],
    [
      'a version of old',
      exec('{command: x, apiVersion: client.authentication.orch.io/v1alpha1}'),
      undefined,
      'invalid',
    ],
    [
      'v1 without a mode',
      exec('{command: x, apiVersion: client.authentication.orch.io/v1}'),
      undefined,
      'interactiveMode',
    ],
    ['another mode', config(plugin('interactiveMode: Often')), undefined, 'invalid interactiveMode "Often"'],
    ['a variable without name', config(plugin('env: [{value: x}]')), undefined, 'env[0]: the variable has no name'],
    ['a file that is not there', config('{tokenFile: nowhere}'), undefined, 'ENOENT'],
    ['a certificate without key', config('{client-certificate-data: Y2VydA==}'), undefined, 'needs client-key'],
    [
      'certificates twice',
      config('{client-certificate-data: Y2VydA==, client-certificate: ../cert.pem}'),
      undefined,
      'both',
    ],
    ['token and password', config('{token: t1, username: a}'), undefined, 'only one is allowed'],
    ['groups without user', config('{as-groups: [a]}'), undefined, 'need a user'],
    ['a value of the wrong type', config('{token: 5}'), undefined, 'token is not a string'],
    ['what is no base64', config('{client-key-data: "?", client-certificate-data: "?"}'), undefined, 'not base64'],
    ['an unknown context', config('{}'), 'three', 'contexts has no entry named "three"'],
    ['a context without its cluster', config('{}'), 'lost', 'clusters has no entry named "gone"'],
    [
      'an authority that is not to be asked',
      config('{}', '{server: "https://a", certificate-authority: ../ca.pem, insecure-skip-tls-verify: true}'),
      undefined,
      'not allowed',
    ],
    ['no server', config('{}', '{}'), undefined, 'no server'],
    [
      'a user in the server',
      config('{}', '{server: "https://jane@one"}'),
      undefined,
      'cluster "c": the server URL has a user',
    ],
    ['a password there', config('{}', '{server: "https://jane:geheim@one"}'), undefined, 'the server URL has a user'],
    [
      'a query',
      config('{}', '{server: "https://one/?geheim=1"}'),
      undefined,
      'cluster "c": the server URL has a query',
    ],
    ['an empty query', config('{}', '{server: "https://one/?"}'), undefined, 'the server URL has a query'],
    ['a fragment', config('{}', '{server: "one:8080/#geheim"}'), undefined, 'the server URL has a query or a fragment'],
    ['a token of two lines', config('{token: "geheim\\n2"}'), undefined, 'user "u": the token has line breaks'],
    ['a token that ends in one', config('{token: "geheim\\n"}'), undefined, 'the token has line breaks'],
    [
      'a token with signs of no header',
      config('{token: "geheim\u00e9"}'),
      undefined,
      'the token has line breaks or other',
    ],
    ['another scheme', config('{}', '{server: "ftp://x"}'), undefined, 'no usable server URL'],
    [
      'a proxy of another kind',
      config('{}', '{server: "https://a", proxy-url: "ftp://u:geheim@x"}'),
      undefined,
      'unsupported scheme "ftp"',
    ],
    ['names twice', `${config('{}')}- {name: one}\n`, undefined, 'two entries named "one"'],
    ['another kind', 'kind: Pod\napiVersion: v1', undefined, 'not a kubeconfig, but v1 Pod'],
    ['no context', 'apiVersion: v1', undefined, 'no context is chosen'],
    ['not YAML', 'a: 1\ntoken: "geheim', undefined, 'not YAML (line 2)'],
    ['a list', '[]', undefined, 'not a kubeconfig'],
  ])('with %s is refused', async (_what, text, context, message) => {
    await put(text);
    const error = await readKubeconfig(file, context === undefined ? {} : { context }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(KubeconfigError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toContain(file);
    expect(String((error as Error).stack)).not.toMatch(/geheim|Y2Vy/);
  });

  test('that is not there', () => expect(readKubeconfig(join(dir, 'none'))).rejects.toThrow(/none: ENOENT/));
});

describe('several kubeconfigs', () => {
  const entries = (server: string, token: string, more = '') => `
clusters: [{name: c, cluster: {server: "https://${server}"${more}}}]
users: [{name: u, user: {${token}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`;
  const load = (KUBECONFIG: string, more = {}) => loadConnection({ env: { KUBECONFIG, HOME: dir }, ...more });

  test('the first to name an entry, or the current context, wins; what is not there is left out', async () => {
    const [a, b] = [join(dir, 'sub', 'a'), join(dir, 'b')];
    await put(`current-context: ""\n${entries('a', 'tokenFile: token')}`, a);
    await put(`current-context: x\n${entries('b', 'username: b', ', tls-server-name: b')}`, b);
    expect(await load(`${a}::${join(dir, 'none')}:${b}:${b}`)).toEqual({
      server: 'https://a',
      tokenFile: join(dir, 'sub', 'token'),
    });
    expect(await load(`${b}:${a}`)).toEqual({
      server: 'https://b',
      tlsServerName: 'b',
      basic: { username: 'b', password: '' },
    });
    expect((await load(`${b}:${a}`, { file: a, context: 'x' })).server).toBe('https://a');
    await put('{', a);
    await expect(load(`${b}:${a}`)).rejects.toThrow(/sub\/a: not YAML/);
  });

  test('without KUBECONFIG that of the home folder; without one, that of the pod', async () => {
    await expect(loadConnection({ env: { HOME: dir } })).rejects.toThrow(/no configuration has been provided/);
    await mkdir(join(dir, '.kube'));
    await put(`current-context: x\n${entries('home', 'token: t')}`, join(dir, '.kube', 'config'));
    expect(await loadConnection({ env: { HOME: dir } })).toEqual({ server: 'https://home', token: 't' });
  });
});

test('users by host: the most exact name wins', async () => {
  const user = (name: string) => `- {name: "${name}", user: {token: "${name}"}}`;
  await put(
    `current-context: x\ncontexts: [{name: x, context: {user: me}}]\nusers:\n${[
      ...['hook.ns.svc', '*.ns.svc', '*.svc:8443', 'hook.ns.svc:9443', '*.svc', 'me'].map(user),
      '- {name: "old.ns.svc", user: {auth-provider: {name: gcp}}}',
    ].join('\n')}`,
  );
  const users = await UsersByHost.read(file);
  const found = async (host: string, port: number) => (await users.userFor(host, port)).token;
  expect(await found('hook.ns.svc', 443)).toBe('hook.ns.svc');
  expect(await found('hook.ns.svc', 9443)).toBe('hook.ns.svc:9443');
  expect(await found('hook.ns.svc', 8443)).toBe('*.svc:8443');
  expect(await found('other.ns.svc', 443)).toBe('*.ns.svc');
  expect(await found('other.elsewhere.svc', 443)).toBe('*.svc');
  expect(await found('example.com', 443)).toBe('me');
  await expect(users.userFor('old.ns.svc', 443)).rejects.toThrow(/not supported/);
  await put(`users:\n${user('*')}`);
  expect(await (await UsersByHost.read(file)).userFor('::1', 443)).toEqual({ token: '*' });
  await put('users: []');
  expect(await (await UsersByHost.read(file)).userFor('::1', 443)).toEqual({});
});
