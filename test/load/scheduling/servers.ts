import { readFileSync } from 'node:fs';
import { Client, type Connection, readKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { type PeerSettings, processIds } from '../target.js';
import { NODES, PODS } from './resources.js';

/** Names of the kinds; the peer knows no others. */
export const NAMES = namesOf('kubernetes');

/** A server whose pods are scheduled. */
export interface BenchServer {
  /** Address and credentials of an administrator. */
  readonly connection: Connection;
  /** Its processes, children not included. */
  readonly pids: readonly number[];
  /** Ends it, where it was started for the measurement. */
  stop(): Promise<void>;
}

/** Our server, started for the measurement. */
export interface OwnBenchServer extends BenchServer {
  readonly standalone: Standalone;
}

/** Starts `orch standalone`. */
export async function ownServer(args: readonly string[] = []): Promise<OwnBenchServer> {
  const standalone = await startStandalone({ args });
  const connection = await readKubeconfig(standalone.kubeconfig, { names: NAMES });
  return { standalone, connection, pids: [standalone.process.pid], stop: () => standalone.stop() };
}

/** A running kube-apiserver, whose store counts with it. */
export function peerServer({ url, caFile, certFile, keyFile, token, pids = '' }: PeerSettings): BenchServer {
  const connection = {
    server: url,
    ...(caFile && { ca: readFileSync(caFile, 'utf8') }),
    ...(certFile && { certFile }),
    ...(keyFile && { keyFile }),
    ...(token && { token }),
  };
  return { connection, pids: processIds(pids), stop: () => clear(connection) };
}

/** Removes what was made on a server that goes on. */
async function clear(connection: Connection): Promise<void> {
  const client = new Client(connection, { names: NAMES });
  try {
    for (const resource of [PODS, NODES]) await client.deleteCollection(resource, {}, { gracePeriodSeconds: 0 });
  } finally {
    await client.close();
  }
}
