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
  const { manager, scheduler, kwok } = buildComponents();
  const dir = dirname(server.kubeconfig);
  const [managerPort, schedulerPort, kwokPort] = await freePorts(3);
  const started: ManagedProcess[] = [];
  const start = async (name: string, command: string, args: readonly string[], ready: () => Promise<boolean>) => {
    const component = new ManagedProcess({ name, command, args, logFile: join(dir, `${name}.log`), ready });
    started.push(component);
    await component.start();
  };
  const connection = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (flag) => `--${flag}=${server.kubeconfig}`,
  );
  const certificates = join(dir, 'certificates');
  mkdirSync(certificates);
  const serving = (port: number | undefined) => [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${certificates}`,
  ];
  await start(
    'kube-controller-manager',
    manager,
    [...connection, ...serving(managerPort), ...managerOptions(dir)],
    () => leads(server, 'kube-controller-manager'),
  );
  await start('kube-scheduler', scheduler, [...connection, ...serving(schedulerPort)], () =>
    leads(server, 'kube-scheduler'),
  );
  const listening = ['--node-ip=127.0.0.1', `--server-address=127.0.0.1:${kwokPort}`];
  const options = ['--manage-all-nodes', '--node-lease-duration-seconds=40', '--cidr=10.64.0.1/16', ...listening];
  // It listens for kubelets' clients only; nodes that get ready show that it is at work.
  await start('kwok', kwok, [`--kubeconfig=${server.kubeconfig}`, ...options], async () => true);
  return started;
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
