import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersOk, EXECUTABLE, ManagedProcess } from '../../tools/up/index.js';
import { OpenSsl } from '../deploy/openssl.js';
import { Api, type ApiSettings } from '../support/api.js';
import { NODES, SERVER_ADDRESS, SERVICES } from './place.js';
import type { BuiltPrograms } from './programs.js';

const PORT = 6443;
const URL = `https://${SERVER_ADDRESS}:${PORT}`;
/** Components, by the subject of their client certificate. */
const IDENTITIES = {
  admin: '/O=system:masters/CN=admin',
  manager: '/CN=system:kube-controller-manager',
  scheduler: '/CN=system:kube-scheduler',
  proxy: '/CN=system:kube-proxy',
  ...Object.fromEntries(NODES.map(({ name }) => [name, `/O=system:nodes/CN=system:node:${name}`])),
};

/** `orch standalone` as the control plane of a node, with the controllers and the scheduler of the release beside it. */
export class ControlPlane {
  readonly processes: ManagedProcess[] = [];
  readonly #data: string;

  constructor(
    private readonly dir: string,
    private readonly programs: BuiltPrograms,
  ) {
    this.#data = join(dir, 'data');
  }

  /** Path of a file of the server's own authorities and keys. */
  pki = (name: string): string => join(this.#data, 'pki', name);

  /** Path of somebody's kubeconfig. */
  kubeconfig = (who: string): string => join(this.dir, `${who}.kubeconfig`);

  /** Address and credentials of the administrator. */
  get access(): ApiSettings {
    const certificate = { cert: this.#text('admin.crt'), key: this.#text('admin.key') };
    return { url: URL, ca: readFileSync(this.pki('ca.crt'), 'utf8'), certificate };
  }

  async start(): Promise<void> {
    mkdirSync(this.#data);
    await this.#run('server', process.execPath, this.#serverArgs(), async () => {
      try {
        return await answersOk(`${URL}/readyz`, readFileSync(this.pki('ca.crt'), 'utf8'));
      } catch {
        return false; // before there is an authority
      }
    });
    this.#makeIdentities();
    await this.#run('kube-controller-manager', this.programs.manager, this.#managerArgs(), () =>
      this.#leads('kube-controller-manager'),
    );
    await this.#run('kube-scheduler', this.programs.scheduler, this.#connection('scheduler'), () =>
      this.#leads('kube-scheduler'),
    );
  }

  #serverArgs(): string[] {
    return [
      ...[EXECUTABLE, 'standalone', `--secure-port=${PORT}`, '--bind-address=0.0.0.0', `--data-dir=${this.#data}`],
      ...[`--advertise-address=${SERVER_ADDRESS}`, `--advertise-host=${SERVER_ADDRESS}`, '--naming=kubernetes'],
      ...[`--service-cluster-ip-range=${SERVICES}`, '--enable-admission-plugins=NodeRestriction'],
    ];
  }

  #managerArgs(): string[] {
    return [
      ...this.#connection('manager'),
      '--use-service-account-credentials',
      `--service-account-private-key-file=${this.pki('service-account.key')}`,
      `--root-ca-file=${this.pki('ca.crt')}`,
      `--flex-volume-plugin-dir=${join(this.dir, 'plugins')}`,
      // A node that is gone is nobody's concern here, and a machine that others share may be slow.
      '--node-monitor-grace-period=120s',
      // There is no cloud, which these two say as an error.
      '--controllers=*,-service,-route',
    ];
  }

  #connection(who: string): string[] {
    const flags = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
    const certificates = join(this.dir, `${who}-certificates`);
    return [
      ...flags.map((flag) => `--${flag}=${this.kubeconfig(who)}`),
      '--bind-address=127.0.0.1',
      `--cert-dir=${certificates}`,
    ];
  }

  #makeIdentities(): void {
    const openssl = new OpenSsl(this.dir);
    const authority = { certFile: this.pki('ca.crt'), keyFile: this.pki('ca.key') };
    const ca = readFileSync(authority.certFile).toString('base64');
    for (const [who, subject] of Object.entries(IDENTITIES)) {
      const { cert, key } = openssl.leaf(who, authority, { subject, usage: 'clientAuth' });
      const user = { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) };
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': who,
        clusters: [{ name: 'cluster', cluster: { server: URL, 'certificate-authority-data': ca } }],
        users: [{ name: who, user }],
        contexts: [{ name: who, context: { cluster: 'cluster', user: who } }],
      };
      writeFileSync(this.kubeconfig(who), JSON.stringify(config), { mode: 0o600 });
    }
  }

  #text = (name: string): string => readFileSync(join(this.dir, name), 'utf8');

  async #leads(name: string): Promise<boolean> {
    const api = new Api(this.access);
    try {
      const answer = await api.get(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`);
      return answer.status === 200 && Boolean(answer.json().spec.holderIdentity);
    } finally {
      api.close();
    }
  }

  async #run(name: string, command: string, args: readonly string[], ready: () => Promise<boolean>): Promise<void> {
    const logFile = join(this.dir, `${name}.log`);
    const process = new ManagedProcess({ name, command, args, cwd: this.dir, logFile, ready });
    this.processes.push(process);
    await process.start();
  }
}
