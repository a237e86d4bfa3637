import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KubeconfigError, readKubeconfig } from './read.js';
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
    basic: { username: 'u', password: 'p: #' },
    tlsServerName: 'api',
    insecureSkipTlsVerify: true,
    namespace: 'dev',
  };
  await writeKubeconfig(file, connection);
  expect(await readKubeconfig(file)).toEqual(connection);
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  await writeKubeconfig(file, { server: 'http://localhost:8080' }, 'plain');
  expect(await readKubeconfig(file)).toEqual({ server: 'http://localhost:8080' });
  expect(await readKubeconfig(file, 'plain')).toEqual({ server: 'http://localhost:8080' });
  expect(await readdir(join(dir, 'sub'))).toEqual(['config']);
});

const config = (user: string) => `
apiVersion: v1
kind: Config
current-context: two
clusters:
- {name: c, cluster: {server: "https://one:1", certificate-authority: ../ca.pem}}
users:
- {name: u, user: ${user}}
contexts:
- {name: one, context: {cluster: c}}
- {name: two, context: {cluster: c, user: u}}
- {name: lost, context: {cluster: gone, user: u}}
`;
const put = async (text: string) => {
  await mkdir(join(dir, 'sub'), { recursive: true });
  await writeFile(file, text);
  await writeFile(join(dir, 'ca.pem'), 'the ca');
};

test('contexts, and files relative to the kubeconfig', async () => {
  await put(config('{client-certificate-data: Y2VydA==, client-key-data: a2V5, tokenFile: token}'));
  await writeFile(join(dir, 'sub', 'token'), 't0\n');
  expect(await readKubeconfig(file)).toEqual({
    server: 'https://one:1',
    ca: 'the ca',
    cert: 'cert',
    key: 'key',
    token: 't0',
  });
  expect(await readKubeconfig(file, 'one')).toEqual({ server: 'https://one:1', ca: 'the ca' });
});

test.each([
  ['a credential plugin', config('{exec: {command: x}}'), undefined, 'credential plugin'],
  ['a file that is not there', config('{tokenFile: nowhere}'), undefined, 'ENOENT'],
  ['a value of the wrong type', config('{token: 5}'), undefined, 'token is not a string'],
  ['an unknown context', config('{}'), 'three', 'contexts has no entry named "three"'],
  ['a context without its cluster', config('{}'), 'lost', 'clusters has no entry named "gone"'],
  ['no context', 'apiVersion: v1', undefined, 'no context is chosen'],
  ['not YAML', '{', undefined, 'not YAML'],
  ['a list', '[]', undefined, 'not a kubeconfig'],
])('%s is refused', async (_what, text, context, message) => {
  await put(text);
  await expect(readKubeconfig(file, context)).rejects.toThrow(KubeconfigError);
  await expect(readKubeconfig(file, context)).rejects.toThrow(message);
});

test('a kubeconfig that is not there', () => expect(readKubeconfig(join(dir, 'none'))).rejects.toThrow(/none: ENOENT/));
