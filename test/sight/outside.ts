import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answer, type Received, ScriptedServer } from '@orch/client/testing';
import { FakeKms } from '@orch/encryption/testing';
import { freePort, kubeconfig, type ManagedProcess, redisServer } from '../../tools/up/index.js';

/** A key of the encryption configuration; JSON is YAML. */
const aesgcm = (...names: readonly string[]) => ({
  aesgcm: { keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name).toString('base64') })) },
});

/** Audit policy under which requests of probes succeed regardless of the log. */
const POLICY = {
  ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy' },
  rules: [{ level: 'None', nonResourceURLs: ['/metrics*', '/livez*', '/readyz*'] }, { level: 'Metadata' }],
};

/** Everything that the servers of a stage ask or read outside of themselves: webhooks, Redis, keys. Each of it can be broken. */
export class Outside {
  /** Takes the audit log of the gateway out of its pipe. */
  #reader: ChildProcess | undefined;
  /** Whether webhooks close connections without an answer; one of them answers nothing at all. */
  isGone = false;

  private constructor(
    private readonly dir: string,
    readonly webhooks: ScriptedServer,
    readonly redis: ManagedProcess,
    readonly kms: FakeKms,
    private readonly redisPort: number,
  ) {
    execFileSync('mkfifo', [this.#file('audit.pipe')]);
    this.readAudit();
    webhooks.script = (request, response) => this.#answer(request, response);
  }

  /** @param dir for files, which is made */
  static async open(dir: string): Promise<Outside> {
    mkdirSync(dir, { recursive: true });
    const port = await freePort();
    const kms = new FakeKms(join(dir, 'kms.sock'));
    const redis = redisServer({ dir, port, detached: false });
    const [webhooks] = await Promise.all([ScriptedServer.start(), redis.start(), kms.start()]);
    const outside = new Outside(dir, webhooks, redis, kms, port);
    outside.useKeys('api-server', 'key1');
    outside.useKeys('gateway', 'key1');
    outside.#write('redis.key', 'x'.repeat(32));
    outside.#write('policy.yaml', JSON.stringify(POLICY));
    for (const path of ['tokens', 'audit']) outside.#write(`${path}.yaml`, outside.#kubeconfig(path));
    return outside;
  }

  get serverArgs(): string[] {
    return [
      `--authentication-token-webhook-config-file=${this.#file('tokens.yaml')}`,
      '--authentication-token-webhook-version=v1',
      `--redis-url=redis://127.0.0.1:${this.redisPort}`,
      `--redis-key-file=${this.#file('redis.key')}`,
    ];
  }

  get apiServerArgs(): string[] {
    return [
      `--encryption-provider-config=${this.#file('api-server.yaml')}`,
      `--audit-policy-file=${this.#file('policy.yaml')}`,
      `--audit-webhook-config-file=${this.#file('audit.yaml')}`,
      '--audit-webhook-batch-max-wait=200ms',
      '--audit-webhook-batch-throttle-enable=false',
      '--audit-webhook-initial-backoff=1ms',
    ];
  }

  get gatewayArgs(): string[] {
    return [
      `--encryption-provider-config=${this.#file('gateway.yaml')}`,
      `--audit-policy-file=${this.#file('policy.yaml')}`,
      `--audit-log-path=${this.#file('audit.pipe')}`,
      '--audit-log-mode=blocking-strict',
    ];
  }

  /** Has a server encrypt role bindings with the first of these keys, and know the others; the api-server has a key management service too. */
  useKeys(server: 'api-server' | 'gateway', ...keys: readonly string[]): void {
    const kms = { kms: { apiVersion: 'v2', name: 'vault', endpoint: this.kms.endpoint } };
    const ofBindings = { resources: ['rolebindings.rbac.authorization.k8s.io'], providers: [aesgcm(...keys)] };
    const ofService = { resources: ['controllerrevisions.apps'], providers: [kms, { identity: {} }] };
    const resources = server === 'gateway' ? [ofBindings] : [ofBindings, ofService];
    const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
    this.#write(`${server}.yaml`, JSON.stringify({ ...head, resources }));
  }

  /** Gives a server a configuration of encryption that is none. */
  spoilKeys(server: 'api-server' | 'gateway'): void {
    this.#write(`${server}.yaml`, '{}');
  }

  /** The audit log of the gateway can be written. */
  readAudit(): void {
    this.#reader = spawn('cat', [this.#file('audit.pipe')], { stdio: 'ignore' });
  }

  /** It cannot: writing to a pipe that nobody reads fails. */
  breakAudit(): void {
    this.#reader?.kill('SIGKILL');
  }

  /** Returns the client configuration of a webhook. */
  clientConfig(path: string): { url: string; caBundle: string } {
    const { server, ca = '' } = this.webhooks.connection;
    return { url: `${server}/${path}`, caBundle: Buffer.from(ca).toString('base64') };
  }

  async close(): Promise<void> {
    this.breakAudit();
    await Promise.all([this.webhooks.stop(), this.redis.stop(), this.kms.stop()]);
  }

  #answer({ url, body }: Received, response: ServerResponse): void {
    if (this.isGone) {
      if (url.pathname !== '/hang') response.destroy();
      return;
    }
    answer(response, 200, url.pathname === '/audit' ? {} : reviewed(JSON.parse(body)));
  }

  #kubeconfig(path: string): string {
    const { server, ca = '' } = this.webhooks.connection;
    return kubeconfig({ url: `${server}/${path}`, ca, token: 'unused' });
  }

  #file = (name: string): string => join(this.dir, name);

  #write(name: string, text: string): void {
    writeFileSync(this.#file(`${name}.next`), text, { mode: 0o600 });
    renameSync(this.#file(`${name}.next`), this.#file(name));
  }
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request?: {
    readonly uid: string;
    readonly objects?: readonly object[];
    readonly desiredAPIVersion?: string;
  };
}

/** Says yes to each object, converts each to what is asked for, and knows no token. */
function reviewed({ apiVersion, kind, request }: Review): object {
  if (kind === 'TokenReview') return { apiVersion, kind, status: { authenticated: false } };
  const { uid = '', objects = [], desiredAPIVersion } = request ?? {};
  const converted = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
  const response =
    kind === 'ConversionReview'
      ? { uid, convertedObjects: converted, result: { status: 'Success' } }
      : { uid, allowed: true };
  return { apiVersion, kind, response };
}
