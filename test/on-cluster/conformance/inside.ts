import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { ControlPlane } from '../control-plane.js';
import { startNetwork } from '../network.js';
import { Node } from '../node.js';
import { makeControlGroup, makePlace, NODES, put } from '../place.js';
import { type ClusterServer, ReferenceServer, StandaloneServer } from '../servers.js';
import { TieredServer } from '../tiers.js';
import { excludedIn } from './excluded.js';
import { type FurtherCases, furtherCases, volumeCases } from './further.js';
import { runPortions } from './portions.js';
import { REGISTRY_HOST, REGISTRY_PORT, startRegistry } from './registry.js';
import type { RunResult } from './results.js';
import { type CaseSet, type InsideSettings, SERVERS } from './settings.js';
import { Suite } from './suite.js';

const MINUTE_MS = 60_000;

/** Starts a cluster in the namespaces of this process, and runs the suite on it. */
async function main(settings: InsideSettings): Promise<void> {
  const { dir, server, programs, outside } = settings;
  makePlace(dir, outside);
  makeControlGroup(basename(dir));
  const closeRegistry = await startRegistry(settings.images);
  const plane = new ControlPlane(dir, programs, serverOf(settings), settings.scheduler);
  const processes: ManagedProcess[] = [];
  try {
    await plane.start();
    processes.push(...plane.processes, ...(await startNetwork(dir, programs, plane)));
    const own = { ...imagesOf(dir), agent: settings.agent, isOnly: true };
    const node = new Node({ ...NODES[0], ...own }, dir, programs, plane);
    await node.start([]);
    processes.push(...node.processes);
    if (settings.hold) await held(dir, plane.kubeconfig('admin'));
    const suite = new Suite({
      dir,
      kubectl: programs.kubectl,
      kubeconfig: plane.kubeconfig('admin'),
      programs: programs.suite,
    });
    const { names, leftOut } = await casesOf(suite, settings.cases);
    const begun = Date.now();
    const runner = { names: async () => names, run: suite.run.bind(suite) };
    const cases = await runPortions(runner, {
      ...{ groups: settings.groups, atOnce: settings.atOnce, excluded: excludedIn(settings.suite) },
      only: settings.only === undefined ? undefined : new RegExp(settings.only),
      until: begun + settings.minutes * MINUTE_MS,
    });
    for (const { name, running } of processes) if (!running) console.log(`  ${name} has ended`);
    const result: RunResult = { server: SERVERS[server], date: new Date(begun).toISOString(), cases, leftOut };
    writeFileSync(settings.result, JSON.stringify(result));
  } finally {
    for (const process of processes.reverse()) await process.stop();
    closeRegistry();
  }
}

function serverOf({ dir, server, programs }: InsideSettings): ClusterServer {
  if (server === 'reference') return new ReferenceServer(dir, programs);
  return server === 'tiers' ? new TieredServer(dir) : new StandaloneServer(dir);
}

/** The cases of a set, and how many others are left out for which reason. */
async function casesOf(suite: Suite, cases: CaseSet): Promise<FurtherCases> {
  if (cases === 'conformance') return { names: await suite.names(), leftOut: {} };
  return (cases === 'further' ? furtherCases : volumeCases)(await suite.allNames());
}

/** Where a node gets the suite's images: from the registry of the run, whatever host they name. */
function imagesOf(dir: string): { readonly sandboxImage: string; readonly registries: string } {
  const registries = join(dir, 'registries');
  const url = `http://127.0.0.1:${REGISTRY_PORT}`;
  mkdirSync(registries);
  const host = `server = "${url}"\n[host."${url}"]\n  capabilities = ["pull", "resolve"]\n`;
  put(join(registries, REGISTRY_HOST, 'hosts.toml'), host);
  return { sandboxImage: `${REGISTRY_HOST}/pause:3.9`, registries };
}

/** Waits to be ended by a signal, for whoever wants to look around. */
async function held(dir: string, kubeconfig: string): Promise<never> {
  const process = `$(pgrep --newest --full ${join(dir, 'settings.json')})`;
  console.log(`It is up: nsenter --target=${process} --all env KUBECONFIG=${kubeconfig} bash`);
  for (;;) await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
}

await main(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
