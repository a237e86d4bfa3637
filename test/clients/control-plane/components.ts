import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePorts, ManagedProcess } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import type { Standalone } from '../../support/standalone.js';
import { buildOperator } from '../operators/build-operator.js';
import { buildComponent } from './build-component.js';

const KWOK = { name: 'kwok', module: 'sigs.k8s.io/kwok', version: 'v0.6.1', main: 'cmd/kwok' };

/** Compiles what {@link startComponents} starts: a quarter of an hour at first. */
export const buildComponents = () => ({
  manager: buildComponent('kube-controller-manager'),
  scheduler: buildComponent('kube-scheduler'),
  kwok: buildOperator(KWOK).program,
});

/**
 * The controller manager and the scheduler beside a server, with everything on that they have by default and their own identities for
 * each loop, and KWOK, which pretends to be the kubelets of all nodes that there are.
 */
export async function startComponents(server: Standalone): Promise<readonly ManagedProcess[]> {
  const { scheduler, kwok } = buildComponents();
  const [schedulerPort, kwokPort] = await freePorts(2);
  const manager = await startManager(server);
  const args = [...connectionOf(server), ...servingOf(server, schedulerPort)];
  const ready = () => leads(server, 'kube-scheduler');
  const listening = ['--node-ip=127.0.0.1', `--server-address=127.0.0.1:${kwokPort}`];
  const options = ['--manage-all-nodes', '--node-lease-duration-seconds=40', '--cidr=10.64.0.1/16', ...listening];
  return [
    manager,
    await start(server, { name: 'kube-scheduler', command: scheduler, args, ready }),
    // It listens for kubelets' clients only; nodes that get ready show that it is at work.
    await start(server, {
      ...{ name: 'kwok', command: kwok, args: [`--kubeconfig=${server.kubeconfig}`, ...options] },
      ready: async () => true,
    }),
  ];
}

/** The controller manager alone, with everything on that it has by default and the identity of each loop; it leads. */
export async function startManager(server: Standalone): Promise<ManagedProcess> {
  const name = 'kube-controller-manager';
  const [port] = await freePorts(1);
  const args = [...connectionOf(server), ...servingOf(server, port), ...managerOptions(dirname(server.kubeconfig))];
  return start(server, { name, command: buildComponent(name), args, ready: () => leads(server, name) });
}

type Component = Pick<ConstructorParameters<typeof ManagedProcess>[0], 'name' | 'command' | 'args' | 'ready'>;

async function start(server: Standalone, component: Component): Promise<ManagedProcess> {
  const started = new ManagedProcess({
    ...component,
    logFile: join(dirname(server.kubeconfig), `${component.name}.log`),
  });
  return started.start();
}

const connectionOf = ({ kubeconfig }: Standalone): readonly string[] =>
  ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`);

function servingOf({ kubeconfig }: Standalone, port: number | undefined): readonly string[] {
  const certificates = join(dirname(kubeconfig), 'certificates');
  mkdirSync(certificates, { recursive: true });
  return ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${certificates}`];
}

function managerOptions(dir: string): readonly string[] {
  const pki = (name: string) => join(dir, 'data', 'pki', name);
  return [
    '--use-service-account-credentials',
    `--service-account-private-key-file=${pki('service-account.key')}`,
    `--root-ca-file=${pki('ca.crt')}`,
    `--cluster-signing-cert-file=${pki('cluster-signing-ca.crt')}`,
    `--cluster-signing-key-file=${pki('cluster-signing-ca.key')}`,
    // There is no cloud, which these two say as an error.
    '--controllers=*,bootstrapsigner,tokencleaner,-service,-route',
  ];
}

async function leads(server: Standalone, name: string): Promise<boolean> {
  const api = new Api(server);
  const answer = await api.get(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`);
  api.close();
  return answer.status === 200 && Boolean(answer.json().spec.holderIdentity);
}
