import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ManagedProcess } from '../../tools/up/index.js';
import { makeVolumes } from './backends.js';
import { Cluster } from './cluster.js';
import { ControlPlane } from './control-plane.js';
import { IMAGES } from './images.js';
import { startNetwork } from './network.js';
import { Node } from './node.js';
import { makeControlGroup, makePlace, NODES } from './place.js';
import type { BuiltPrograms } from './programs.js';
import { StandaloneServer } from './servers.js';

/** Settings that the part outside the namespaces hands over. */
export interface Settings {
  readonly dir: string;
  readonly programs: BuiltPrograms;
  readonly archives: readonly string[];
  /** The network namespace of the machine. */
  readonly outside: string;
}

/** A file of {@link Settings}. */
export const SETTINGS_VARIABLE = 'ORCH_ON_CLUSTER';

const VOLUMES = 3;
const HELD_MS = 24 * 3_600_000;

/** A cluster of components in the namespaces of this process. */
export class Stage {
  readonly #processes: ManagedProcess[] = [];

  /** All components. */
  get processes(): readonly ManagedProcess[] {
    return this.#processes;
  }

  async start(): Promise<Cluster> {
    const file = process.env[SETTINGS_VARIABLE] ?? '';
    const { dir, programs, archives, outside } = JSON.parse(readFileSync(file, 'utf8')) as Settings;
    makePlace(dir, outside);
    makeControlGroup(basename(dir));
    const plane = new ControlPlane(dir, programs, new StandaloneServer(dir));
    await plane.start();
    this.#processes.push(...plane.processes, ...(await startNetwork(dir, programs, plane)));
    const nodes = NODES.map((each) => new Node({ ...each, sandboxImage: IMAGES.pause }, dir, programs, plane));
    for (const node of nodes) await node.start(archives);
    this.#processes.push(...nodes.flatMap(({ processes }) => processes));
    const cluster = new Cluster(programs, plane, nodes, dir);
    await makeVolumes(cluster, VOLUMES);
    return cluster;
  }

  /** Ends everything; where HOLD is set it first waits to be ended by a signal, for whoever wants to look around. */
  async stop(): Promise<void> {
    if (process.env.HOLD !== undefined) await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    for (const process of [...this.#processes].reverse()) await process.stop();
  }
}

export const settingsFile = (dir: string): string => join(dir, 'settings.json');
