import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../../tools/up/index.js';
import { makeServerFolder } from '../../support/run-folder.js';
import { temporaryPki } from '../bare.js';
import type { Endpoint } from '../connection.js';
import type { Power } from '../target.js';
import { ServerProcesses } from '../usage.js';
import { Worker } from '../worker.js';
import type { FloorMethods } from './floor.worker.js';
import type { FloorShape } from './server.js';

/** A running {@link FloorServer} in a process of its own. */
export interface Floor {
  readonly endpoint: Endpoint;
  readonly processes: ServerProcesses;
  readonly power: Power;
  /** Sets the sizes of what it answers from now on. */
  shape(sizes: FloorShape): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Starts one over TLS with an empty database. */
export async function startFloor(): Promise<Floor> {
  const dir = makeServerFolder('orch-floor-');
  const pki = await temporaryPki();
  const [port = 0] = await freePorts(1);
  const settings = { port, dataDir: join(dir, 'postgres'), tls: pki.serving };
  let worker: Worker<FloorMethods> | undefined;
  const power = {
    off: async () => {
      await worker?.call('stop', undefined);
      worker?.stop();
    },
    on: async () => {
      worker = new Worker<FloorMethods>(new URL('./floor.worker.ts', import.meta.url));
      await worker.call('start', settings);
    },
  };
  const stop = async () => {
    try {
      await power.off();
    } finally {
      worker?.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  };
  try {
    await power.on();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return {
    endpoint: { host: '127.0.0.1', port, tls: { ca: pki.ca.cert } },
    processes: new ServerProcesses(() => (worker ? [worker.pid] : [])),
    power,
    shape: async (sizes) => worker?.call('shape', sizes),
    stop,
  };
}
