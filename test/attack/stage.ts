import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeKubeconfig } from '@orch/client';
import { answer, ScriptedServer } from '@orch/client/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Cluster, freePort, type ManagedProcess, redisServer, waitUntil } from '../../tools/up/index.js';
import { OpenSsl } from '../deploy/openssl.js';
import { type Answer, Api, type ApiSettings } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

/** Users of the token file, who have no rights but those that {@link RIGHTS} gives them. */
export const USERS = ['mallory', 'getter', 'one', 'editor', 'grantor', 'eve'] as const;
export type User = (typeof USERS)[number];

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const RBAC = `/apis/${RBAC_GROUP}/v1`;
export const CORE = '/api/v1/namespaces/default';
export const MAPS = `${CORE}/configmaps`;
/** Secret that no attacker may read. It is in a Secret and a ConfigMap `crown`, in `default` and `kube-system`. */
export const CROWN = `jewel-${randomBytes(12).toString('hex')}`;

/** The crown in an answer, as text or as a Secret has it. */
export const SHOWN = new RegExp(`${CROWN}|${Buffer.from(CROWN).toString('base64')}`);

/** Rights in `default`, by user. */
const RIGHTS: Readonly<Record<User, readonly object[]>> = {
  mallory: [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] }],
  getter: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  one: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get', 'list', 'watch'] }],
  editor: [
    { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['get', 'update', 'patch'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update', 'patch'] },
  ],
  grantor: [
    { apiGroups: [''], resources: ['services'], verbs: ['get'] },
    { apiGroups: [RBAC_GROUP], resources: ['*'], verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] },
  ],
  eve: [],
};

/** A server of one of the tiers. */
export interface Tier {
  readonly name: 'api-server' | 'gateway';
  readonly url: string;
}

/** An installation of both tiers with every entry point, and the credentials of its attackers. */
export class AttackStage {
  cluster!: Cluster;
  dir!: string;
  admin!: Api;
  webhook!: ScriptedServer;
  /** Users that the webhook authenticates, by token; a function answers itself. */
  readonly known = new Map<string, object>();
  redis!: ManagedProcess;
  /** Client of an attacker who can write to Redis. */
  cache!: Redis;
  openssl!: OpenSsl;
  /** Every secret that was used, by what it is. */
  readonly secrets = new Map<string, string>([['the crown', CROWN]]);
  readonly #apis: Api[] = [];
  readonly #tokens = new Map<User, string>();

  get tiers(): readonly Tier[] {
    const { apiServerUrls, gatewayUrls } = this.cluster;
    return [
      { name: 'api-server', url: String(apiServerUrls[0]) },
      { name: 'gateway', url: String(gatewayUrls[0]) },
    ];
  }

  /** A secret of its own, which no log may hold. */
  secret(called: string): string {
    return this.remember(called, `s3cret-${randomBytes(16).toString('hex')}`);
  }

  remember(called: string, secret: string): string {
    this.secrets.set(`${called} ${this.secrets.size}`, secret);
    return secret;
  }

  tokenOf(user: User): string {
    return this.#tokens.get(user) ?? '';
  }

  /** A client; closed at the end. */
  client(url: string, how: Omit<ApiSettings, 'url' | 'ca'> = {}): Api {
    const api = new Api({ url, ca: this.cluster.ca, ...how });
    this.#apis.push(api);
    return api;
  }

  /** A client of each tier. */
  clients(how: Omit<ApiSettings, 'url' | 'ca'>): Api[] {
    return this.tiers.map(({ url }) => this.client(url, how));
  }

  as(user: User): Api[] {
    return this.clients({ token: this.tokenOf(user) });
  }

  /** Returns the user that a server authenticates; the status if it refuses. */
  async whoIs(
    api: Api,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ name: string; groups: string[] } | number> {
    const body = { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1beta1/selfsubjectreviews';
    const { status, text } = await api.request('POST', path, { body, headers });
    if (status !== 201) return status;
    const { username, groups = [] } = JSON.parse(text).status.userInfo;
    return { name: username, groups };
  }

  /** Files of one of the installation's own authorities: what a thief of its key has. */
  authority(name: 'ca' | 'front-proxy-ca'): { certFile: string; keyFile: string } {
    const of = (end: string) => join(this.dir, 'pki', `${name}.${end}`);
    return { certFile: of('crt'), keyFile: of('key') };
  }

  async make(path: string, object: object): Promise<void> {
    const made = await this.admin.post(path, object);
    expect(made.status, made.text).toBe(201);
  }

  /** Everything that servers have written down: logs and audit. */
  written(): ReadonlyMap<string, string> {
    const files = readdirSync(this.dir).filter((name) => name.endsWith('.log'));
    return new Map(files.map((name) => [name, readFileSync(join(this.dir, name), 'utf8')]));
  }

  async start(): Promise<void> {
    this.dir = makeServerFolder('orch-attack-');
    for (const user of USERS) this.#tokens.set(user, this.secret(`token of ${user}`));
    this.webhook = await ScriptedServer.start();
    this.webhook.script = ({ body }, response) => {
      const { apiVersion, kind, spec } = JSON.parse(body);
      const user = this.known.get(spec.token);
      answer(response, 200, { apiVersion, kind, status: user ? { authenticated: true, user } : {} });
    };
    const redisPort = await freePort();
    this.redis = await redisServer({ dir: this.dir, port: redisPort, detached: false }).start();
    this.cache = new Redis({ port: redisPort, host: '127.0.0.1' });
    const [webhookFile, redisKey] = [join(this.dir, 'webhook'), join(this.dir, 'redis-key')];
    await writeKubeconfig(webhookFile, { ...this.webhook.connection, token: this.secret('token for the webhook') });
    writeFileSync(redisKey, this.secret('key of Redis'));
    this.cluster = await startCluster({
      ...{ dir: this.dir, apiServers: 1, gateways: 1 },
      strangers: Object.fromEntries(USERS.map((user) => [this.tokenOf(user), user])),
      serverArgs: [
        ...['--runtime-config=api/beta=true', '--enable-bootstrap-token-auth', '--v=10'],
        `--authentication-token-webhook-config-file=${webhookFile}`,
        '--authentication-token-webhook-cache-ttl=10m',
        ...[`--redis-url=redis://127.0.0.1:${redisPort}`, `--redis-key-file=${redisKey}`],
        '--requestheader-username-headers=X-Remote-User,X-Else',
        '--requestheader-allowed-names=front-proxy-client,other-proxy',
        `--audit-policy-file=${fileURLToPath(new URL('../../deploy/audit/policy.yaml', import.meta.url))}`,
        `--audit-log-path=${join(this.dir, 'audit.log')}`,
      ],
    });
    this.remember('token of the administrator', this.cluster.token);
    this.openssl = new OpenSsl(this.dir);
    this.admin = this.client(String(this.cluster.apiServerUrls[0]), { token: this.cluster.token });
    await this.#furnish();
  }

  async stop(): Promise<void> {
    for (const api of this.#apis) api.close();
    await this.cluster?.stop();
    this.cache?.disconnect();
    await this.redis?.stop();
    await this.webhook?.stop();
    if (this.dir) rmSync(this.dir, { recursive: true, force: true });
  }

  async #furnish(): Promise<void> {
    for (const namespace of ['default', 'kube-system']) {
      const metadata = { name: 'crown', labels: { crown: 'yes' } };
      const at = `/api/v1/namespaces/${namespace}`;
      await this.make(`${at}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { jewel: CROWN } });
      await this.make(`${at}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { jewel: CROWN } });
    }
    await this.make(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await this.make(`${CORE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
    for (const [name, rules] of Object.entries(RIGHTS)) {
      const apiVersion = `${RBAC_GROUP}/v1`;
      await this.make(`${RBAC}/namespaces/default/roles`, { apiVersion, kind: 'Role', metadata: { name }, rules });
      await this.make(`${RBAC}/namespaces/default/rolebindings`, {
        ...{ apiVersion, kind: 'RoleBinding', metadata: { name } },
        roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name },
        subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name }],
      });
    }
    const [, gateway] = this.as('one');
    const holds = async () => (await gateway?.get(`${MAPS}/mine`))?.status;
    await waitUntil('rights hold on both tiers', 30_000, async () => (await holds()) === 200);
  }
}

/** Starts an installation before the tests of a file, and stops it after them. */
export function attackStage(): AttackStage {
  const stage = new AttackStage();
  beforeAll(() => stage.start());
  afterAll(() => stage.stop());
  return stage;
}

/** Expects an answer to be a refusal in the API's form, without any part of the secret. */
export function expectRefused({ status, text }: Answer, what: string, codes: readonly number[] = [401, 403]): void {
  expect.soft(codes, `${what}: ${status} ${text.slice(0, 200)}`).toContain(status);
  expect.soft(text, what).not.toMatch(SHOWN);
}
