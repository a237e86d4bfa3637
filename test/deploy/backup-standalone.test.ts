import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseYaml } from '@orch/codec';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiList } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { POSTGRES } from './backup-commands.js';
import { PageCommands } from './page-commands.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const SENTINEL = Buffer.from('hush-8d2e, which is not to be read in a backup').toString('base64');

const page = new PageCommands('backup.md', POSTGRES);

interface Written {
  readonly name: string;
  readonly version: string;
}

describe('orch standalone, backed up under writes and put back into another folder', () => {
  let dir: string;
  let env: Readonly<Record<string, string>>;
  let encryption: string;
  let first: Standalone;
  let second: Standalone;
  const written: Written[] = [];
  let before: number;
  let after: number;
  let restored: Api;
  let kept: number;

  const start = (more: Parameters<typeof startStandalone>[0]) =>
    startStandalone({ ...more, args: [`--encryption-provider-config=${encryption}`] });

  async function write(api: Api): Promise<void> {
    const name = `object-${written.length}`;
    const answer = await api.post(CONFIG_MAPS, { metadata: { name } });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    written.push({ name, version: answer.json().metadata.resourceVersion });
  }

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-backup-'));
    encryption = join(dir, 'encryption.json');
    const keys = [{ name: 'one', secret: Buffer.alloc(32, 'k').toString('base64') }];
    const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }];
    writeFileSync(
      encryption,
      JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }),
    );
    first = await start({});
    const data = dirname(first.postgresDir);
    env = { BACKUP: join(dir, 'backup'), DATA_DIR: data };
    mkdirSync(join(dir, 'backup'));
    const api = new Api(first);
    expect((await api.post(SECRETS, { metadata: { name: 'secret' }, data: { a: SENTINEL } })).status).toBe(201);
    await write(api);
    before = written.length;
    let ended = false;
    const backingUp = page.run('orchctl backup', { env }).finally(() => {
      ended = true;
    });
    while (!ended) await write(api);
    expect((await backingUp).stderr).toMatch(/^10 % of /);
    after = written.length;
    await page.run('-czf "$BACKUP/pki.tar.gz"', { env });
    for (let i = 0; i < 5; i++) await write(api);
    api.close();
    // The machine is lost.
    await first.process.kill('SIGKILL');
    second = await start({
      async prepare(postgresDir) {
        await page.run('orchctl restore', { env: { ...env, NEW_DATA_DIR: dirname(postgresDir) } });
        return () => undefined;
      },
    });
    restored = new Api(second);
  });
  afterAll(async () => {
    restored?.close();
    await first?.stop();
    await second?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const version = (at: number): string => written[at]?.version ?? '';

  test('holds one moment during the backup: all writes up to it, and none of those behind it', async () => {
    const { items } = (await restored.get(CONFIG_MAPS)).json<ApiList>();
    const found = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('object-'));
    kept = found.length;
    expect(new Set(found)).toEqual(new Set(written.slice(0, kept).map(({ name }) => name)));
    expect(kept).toBeGreaterThanOrEqual(before);
    expect(kept).toBeLessThanOrEqual(after);
  });

  test('refuses versions that are lost with 410, goes on from those that are not, and gives none a second time', async () => {
    const lost = written.slice(kept);
    for (const { version } of [lost[0], lost.at(-1)] as Written[]) {
      const refused = await restored.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
      expect([refused.status, (await refused.refusal()).reason]).toEqual([410, 'Expired']);
      expect(
        (await restored.get(`${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`)).status,
      ).toBe(410);
    }
    const watch = await restored.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version(0)}`);
    await write(restored);
    const events = await watch.take(kept);
    watch.close();
    const expected = [...written.slice(1, kept), written.at(-1)].map((each) => ['ADDED', each?.name]);
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual(expected);
    expect(BigInt(version(written.length - 1))).toBeGreaterThan(BigInt(lost.at(-1)?.version ?? 0));
  });

  test('stays encrypted in the backup, which only its owner can read, and is read with the keys', async () => {
    for (const name of ['database', 'pki'])
      expect(statSync(join(dir, 'backup', `${name}.tar.gz`)).mode & 0o777).toBe(0o600);
    const plain = gunzipSync(readFileSync(join(dir, 'backup', 'database.tar.gz')));
    expect(plain.includes(Buffer.from(SENTINEL, 'base64'))).toBe(false);
    expect(plain.includes(SENTINEL)).toBe(false);
    expect((await restored.get(`${SECRETS}/secret`)).json().data).toEqual({ a: SENTINEL });
  });

  test('believes the certificates of before', async () => {
    const { users } = parseYaml(readFileSync(first.kubeconfig, 'utf8')).value as unknown as Kubeconfig;
    const [{ user } = NOBODY] = users;
    const [cert, key] = [user['client-certificate-data'], user['client-key-data']].map((data) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    const admin = new Api({ url: second.url, ca: first.ca, certificate: { cert: cert ?? '', key: key ?? '' } });
    expect((await admin.get(SECRETS)).status).toBe(200);
    admin.close();
  });

  test('is refused a second time, and the socket of the page is the one that is there', async () => {
    const data = dirname(second.postgresDir);
    await expect(page.run('orchctl restore', { env: { ...env, NEW_DATA_DIR: data } })).rejects.toThrow('is not empty');
    expect((await page.run('SHOW server_version', { env: { DATA_DIR: data } })).stdout).toMatch(/^17\./);
    // So every block of the page is run.
    expect(page.left).toEqual([]);
  });
});

interface Kubeconfig {
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}
const NOBODY: Kubeconfig['users'][number] = { user: {} };
