import { generateKeyPairSync } from 'node:crypto';
import { type Made, OpenSsl } from '../deploy/openssl.js';
import { RenewedApi } from '../deploy/rotation/traffic.js';
import { Database, urlOf } from './backends.js';
import { type Cluster, secretOf } from './cluster.js';
import { Load, type LoadSettings } from './load.js';
import { Pods } from './pods.js';
import { NAMESPACE, Release } from './release.js';

export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export const keyPair = (): KeyPair =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

/** A line of the file of tokens: somebody who may do everything. */
export const tokenLine = (token: string): string => `${token},watcher,watcher,"system:masters"\n`;

/** URLs of the servers' logins. */
export const logins = (suffix: string, password: string) => ({
  'api-server': urlOf(`orch_api_server${suffix}`, password),
  gateway: urlOf(`orch_gateway${suffix}`, password),
});

/** The environment of an operator before the chart is installed, and then the installation. */
export class Scene {
  readonly release: Release;
  readonly pods: Pods;
  readonly openSsl: OpenSsl;
  readonly signer = keyPair();
  /** Authority of callers that is not the installation's own, and the one that signs requests. */
  readonly callers: Made;
  readonly signing: Made;
  #clients: { readonly writing: RenewedApi; readonly watching: RenewedApi } | undefined;
  load: Load | undefined;

  private constructor(
    readonly cluster: Cluster,
    readonly database: Database,
  ) {
    this.release = new Release(cluster);
    this.pods = new Pods(cluster);
    this.openSsl = new OpenSsl(cluster.dir);
    this.callers = this.openSsl.authority('callers');
    this.signing = this.openSsl.authority('signing');
  }

  /** Brings what the chart does not: the database, and the Secrets that values name. */
  static async prepare(cluster: Cluster): Promise<Scene> {
    await cluster.kubectl.ok(['create', 'namespace', NAMESPACE]);
    const scene = new Scene(cluster, await Database.start(cluster, 'one'));
    await scene.write({
      tokens: { 'tokens.csv': tokenLine('token-one') },
      'client-ca': { 'ca.crt': scene.callers.cert },
      'sa-keys': { 'sa.key': scene.signer.privateKey, 'sa.pub': scene.signer.publicKey },
      signing: { 'tls.crt': scene.signing.cert, 'tls.key': scene.signing.key },
      nats: { password: 'nats-one' },
      'nats-gateway': { password: 'nats-gateway-one' },
      'orch-postgres': { migrator: urlOf('orch_migrator', 'one'), ...logins('', 'one') },
    });
    return scene;
  }

  get writing(): RenewedApi {
    if (!this.#clients) throw new Error('nobody writes yet');
    return this.#clients.writing;
  }

  get watching(): RenewedApi {
    if (!this.#clients) throw new Error('nobody watches yet');
    return this.#clients.watching;
  }

  /** Starts to write as the administrator with a certificate, and to watch with a token. */
  async startLoad(settings: LoadSettings): Promise<void> {
    const administrator = await this.release.administrator();
    await this.cluster.answers('the administrator is let in', administrator, '/api/v1/namespaces', 200);
    const watching = new RenewedApi({ url: this.release.url, ca: administrator.ca ?? '', token: 'token-one' });
    this.#clients = { writing: new RenewedApi(administrator), watching };
    this.load = await Load.start(this.writing, watching, settings);
  }

  /** Takes the kubeconfig that Helm has made last, for new connections of both. */
  async renewClients(): Promise<void> {
    const { ca = '', certificate } = await this.release.administrator();
    this.writing.renew({ ca, ...(certificate && { certificate }) });
    this.watching.renew({ ca });
  }

  /** Writes Secrets of the release's namespace; of those that are there, the keys that are named. */
  write(secrets: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<void> {
    return this.cluster.apply(...Object.entries(secrets).map(([name, texts]) => secretOf(name, texts, NAMESPACE)));
  }
}
