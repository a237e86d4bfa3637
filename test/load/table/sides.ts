import { readFileSync } from 'node:fs';
import { readKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { type Floor, startFloor } from '../floor/start.js';
import { inNamespace } from '../resource.js';
import { SAMPLE_NAMESPACE, samplePath } from '../samples.js';
import { addressOf, type PeerSettings, peerSettings, peerTarget, type Target } from '../target.js';
import { ServerProcesses } from '../usage.js';

/** Names of the columns. */
export const [ORCH, FLOOR, PEER] = ['orch', 'floor', 'kube-apiserver'] as const;

/** A column: a server over TLS that takes its turns. */
export interface Side {
  readonly target: Target;
  /** The bare server, where this is it. */
  readonly floor?: Floor;
  /** Ends what was started for the measurement. */
  stop(): Promise<void>;
}

/** ConfigMaps, which the rows of lists and watches have in namespaces of their own. */
const RESOURCE = { apiVersion: 'v1', kind: 'ConfigMap', path: samplePath('ConfigMap') };

/** Opens all sides that can be had: our server, the floor, and the peer where the environment names one. */
export async function openSides(env: NodeJS.ProcessEnv): Promise<Side[]> {
  const settings = peerSettings(env);
  if (!settings)
    process.stderr.write(`no column ${PEER}: name a running kube-apiserver by PEER_URL and so on, see --help\n`);
  const sides: Side[] = [];
  try {
    // One that cannot be reached is noticed before anything is started.
    const peer = settings && (await peerSide(settings));
    sides.push(await orchSide());
    sides.push(await floorSide());
    if (peer) sides.push(peer);
    for (const { target } of sides) await inNamespace(target.endpoint, RESOURCE, SAMPLE_NAMESPACE);
    return sides;
  } catch (error) {
    await closeSides(sides);
    throw error;
  }
}

/** Ends all sides. */
export async function closeSides(sides: readonly Side[]): Promise<void> {
  await Promise.all(sides.map((side) => side.stop()));
}

/** Starts `orch standalone`, which warms up as an api-server does by default. Its administrator has a client certificate, as that of the peer. */
async function orchSide(): Promise<Side> {
  const server = await startStandalone({ args: ['--warm-up=5s'] });
  const { process: own, url, ca } = server;
  const certificate = await certificateOf(server).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const endpoint = { ...addressOf(url), tls: { ca, ...certificate } };
  const target: Target = {
    ...{ name: ORCH, endpoint, resource: RESOURCE },
    processes: new ServerProcesses(() => [own.pid]),
    power: { off: () => own.stop(), on: () => own.start() },
  };
  return { target, stop: () => server.stop() };
}

async function certificateOf({ kubeconfig }: Standalone): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, key, certFile, keyFile } = await readKubeconfig(kubeconfig, { names: namesOf('kubernetes') });
  const text = (inline: string | undefined, file: string | undefined) => inline ?? readFileSync(file ?? '', 'utf8');
  return { cert: text(cert, certFile), key: text(key, keyFile) };
}

async function floorSide(): Promise<Side> {
  const floor = await startFloor();
  const { endpoint, processes, power } = floor;
  return { target: { name: FLOOR, endpoint, processes, power, resource: RESOURCE }, floor, stop: () => floor.stop() };
}

async function peerSide(settings: PeerSettings): Promise<Side> {
  const target = await peerTarget(settings);
  if (target.resource.kind !== RESOURCE.kind) throw new Error('the peer is no kube-apiserver: it has no ConfigMaps');
  return { target: { ...target, name: PEER }, stop: async () => undefined };
}
