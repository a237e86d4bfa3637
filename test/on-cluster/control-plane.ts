import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { EXECUTABLE, ManagedProcess, ORCHCTL } from '../../tools/up/index.js';
import { Api, type ApiSettings } from '../support/api.js';
import { IDENTITIES } from './identities.js';
import type { BuiltPrograms } from './programs.js';
import { type ClusterServer, SERVER_URL } from './servers.js';

/** Credentials in a kubeconfig: a token, or a certificate and its key in base64. */
type Embedded = Readonly<Partial<Record<'client-certificate-data' | 'client-key-data' | 'token', string>>>;

/** Who loses its lease ends, and a machine that others share may be slow. */
const UNHURRIED = [
  '--bind-address=127.0.0.1',
  '--leader-elect-lease-duration=180s',
  '--leader-elect-renew-deadline=150s',
];

/** Who places pods: kube-scheduler of the release, or `orch scheduler`. */
export type SchedulerName = 'reference' | 'orch';

/** The control plane of a cluster: its API server, with the controllers and the scheduler of the release beside it. */
export class ControlPlane {
  readonly #beside: ManagedProcess[] = [];

  constructor(
    private readonly dir: string,
    private readonly programs: Pick<BuiltPrograms, 'manager' | 'scheduler'>,
    private readonly server: ClusterServer,
    private readonly scheduler: SchedulerName = 'reference',
  ) {}

  get processes(): readonly ManagedProcess[] {
    return [...this.server.processes, ...this.#beside];
  }

  /** Path of a file of the server's own authorities and keys. */
  pki = (name: string): string => this.server.pki(name);

  /** Path of somebody's kubeconfig. */
  kubeconfig = (who: string): string => join(this.dir, `${who}.kubeconfig`);

  /** Address and credentials of the administrator. */
  get access(): ApiSettings {
    const { users } = parse(readFileSync(this.kubeconfig('admin'), 'utf8')) as { users: [{ user: Embedded }] };
    const { token, 'client-certificate-data': cert = '', 'client-key-data': key = '' } = users[0].user;
    const credentials = token === undefined ? { certificate: { cert: atob(cert), key: atob(key) } } : { token };
    return { url: SERVER_URL, ca: readFileSync(this.pki('ca.crt'), 'utf8'), ...credentials };
  }

  async start(): Promise<void> {
    await this.server.start();
    this.#makeIdentities();
    await this.#run('kube-controller-manager', this.programs.manager, this.#managerArgs());
    const { command, args } = this.#schedulerCommand();
    await this.#run('kube-scheduler', command, args);
  }

  #schedulerCommand(): { readonly command: string; readonly args: readonly string[] } {
    if (this.scheduler === 'reference')
      return { command: this.programs.scheduler, args: this.#connection('scheduler') };
    const connection = ['--naming=kubernetes', `--kubeconfig=${this.kubeconfig('scheduler')}`];
    return { command: process.execPath, args: [EXECUTABLE, 'scheduler', ...connection, ...UNHURRIED] };
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
    return [...flags.map((flag) => `--${flag}=${this.kubeconfig(who)}`), ...UNHURRIED, `--cert-dir=${certificates}`];
  }

  #makeIdentities(): void {
    const common = [ORCHCTL, 'kubeconfig', `--server=${SERVER_URL}`, `--cert-dir=${dirname(this.pki('ca.crt'))}`];
    for (const [who, { user, group }] of Object.entries(IDENTITIES)) {
      const token = this.server.tokens?.[who];
      const subject = [`--user=${user}`, ...(group === undefined ? [] : [`--group=${group}`])];
      const args = [...common, ...(token === undefined ? subject : []), `--out=${this.kubeconfig(who)}`];
      execFileSync(process.execPath, args, { env: { ...process.env, ...(token && { ORCH_TOKEN: token }) } });
    }
  }

  async #leads(name: string): Promise<boolean> {
    const api = new Api(this.access);
    try {
      const answer = await api.get(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`);
      return answer.status === 200 && Boolean(answer.json().spec.holderIdentity);
    } finally {
      api.close();
    }
  }

  async #run(name: string, command: string, args: readonly string[]): Promise<void> {
    const logFile = join(this.dir, `${name}.log`);
    const ready = () => this.#leads(name);
    const process = new ManagedProcess({ name, command, args, cwd: this.dir, logFile, ready });
    this.#beside.push(process);
    await process.start();
  }
}
