import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CriRuntime } from '@orch/container-runtime';
import { descendants, processStat } from '../../tools/up/index.js';
import type { Containerd } from './containerd.js';

/** The shell that keeps containerd, the one that starts it again, and containerd. */
const DAEMONS = 3;
const CGROUPS = '/sys/fs/cgroup';

/** How much there is of pods on a machine. */
export interface Remains {
  /** Sandboxes and containers that the runtime has. */
  readonly records: number;
  /** Processes: of containers, and those that keep them. */
  readonly processes: number;
  /** Mounts below the folders of the node. */
  readonly mounts: number;
  /** Folders of pods, of their logs, and of what the runtime keeps about containers. */
  readonly folders: number;
  /** Control groups of pods and containers. */
  readonly groups: number;
  /** Networks of pods: namespaces, addresses, lines of iptables. */
  readonly networks: number;
}

/** Nothing at all. */
export const NOTHING: Remains = { records: 0, processes: 0, mounts: 0, folders: 0, groups: 0, networks: 0 };

/** Where a node has what belongs to its pods. */
interface Place {
  /** Folder of the node, whose name is in the command lines of the processes of its containers. */
  readonly dir: string;
  /** Folder of the agent's state. */
  readonly root: string;
  /** Folder of the logs of pods. */
  readonly logs: string;
  /** Control group of all pods. */
  readonly cgroup: string;
  /** Its containerd; absent where containers are processes. */
  readonly containerd?: Containerd;
}

/** Counts what there is of pods. */
export async function remainsOf(place: Place): Promise<Remains> {
  const { dir, root, containerd } = place;
  const state = join(root, 'processes');
  const own = ['sandboxes', 'containers'].flatMap((name) => entries(join(state, name)));
  return {
    records: containerd ? await recordsOf(containerd) : own.length,
    processes: containerd ? descendants(containerd.pid).length - DAEMONS : processesOf(basename(dir)),
    mounts: countMounts(dir, containerd?.inner),
    folders: [...entries(join(root, 'pods')), ...entries(place.logs), ...own, ...tasksOf(containerd)].length,
    groups: countGroups(place.cgroup),
    networks: containerd ? networksOf(containerd) : 0,
  };
}

const entries = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

async function recordsOf(containerd: Containerd): Promise<number> {
  const runtime = new CriRuntime({ socket: containerd.socket });
  try {
    return (await runtime.listSandboxes()).length + (await runtime.listContainers()).length;
  } finally {
    await runtime.close();
  }
}

/** Folders of running tasks, and of what containerd's part for pods keeps. */
function tasksOf(containerd: Containerd | undefined): string[] {
  if (!containerd) return [];
  const parts = ['state/io.containerd.runtime.v2.task/k8s.io', 'state/io.containerd.grpc.v1.cri/sandboxes'];
  const more = ['state/io.containerd.grpc.v1.cri/containers', 'root/io.containerd.grpc.v1.cri/containers'];
  return [...parts, ...more].flatMap((part) => entries(join(containerd.dir, part)));
}

/** Counts the programs of containers that run now: their last argument is a word, and the one before has a text. */
export function programsOf(word: string, text: string): number {
  const found = processes().filter(
    ({ words }) => words[0] === 'sh' && words.at(-1) === word && words.at(-2)?.includes(text),
  );
  const pids = new Set(found.map(({ pid }) => pid));
  // A shell that is about to start a program is two for a moment.
  return found.filter(({ pid }) => !pids.has(processStat(pid)?.parent ?? 0)).length;
}

interface RunningProcess {
  readonly pid: number;
  readonly words: readonly string[];
}

const processes = (): RunningProcess[] =>
  entries('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), words: commandLine(Number(name)) }));

/** Processes of containers and those that keep them, by their command lines. */
const processesOf = (word: string): number => processes().filter(({ words }) => keepsContainer(words, word)).length;

/** Supervisors have the folder of a container, and so has what builds its namespaces; programs have the word at the end. */
const keepsContainer = (words: readonly string[], word: string): boolean =>
  words.at(-1) === word || words.some((each) => each.includes(`/${word}/`) && each.includes('/processes/containers/'));

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return []; // it has ended
  }
}

/** Counts mounts below a folder, here and in the namespace of another process. */
export function countMounts(dir: string, pid?: number): number {
  const count = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => (line.split(' ')[4] ?? '').startsWith(`${dir}/`)).length;
  return count('/proc/self/mountinfo') + (pid === undefined ? 0 : count(`/proc/${pid}/mountinfo`));
}

/** Counts the control groups below that of all pods which are those of a pod or a container. */
export function countGroups(cgroup: string): number {
  const below = (folder: string): number =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .reduce((sum, { name }) => sum + below(join(folder, name)) + (CLASSES.has(name) ? 0 : 1), 0);
  return readdirSync(CGROUPS)
    .map((hierarchy) => join(CGROUPS, hierarchy, cgroup))
    .filter(existsSync)
    .reduce((sum, folder) => sum + below(folder), 0);
}

const CLASSES = new Set(['kubepods', 'burstable', 'besteffort']);

/** Namespaces, addresses and rules of iptables of sandboxes. */
function networksOf({ dir, inner }: Containerd): number {
  const leases = entries(join(dir, 'var/lib/cni/networks/test')).filter((name) => /^\d/.test(name));
  const rules = execFileSync('nsenter', ['--net', `--target=${inner}`, '--', 'iptables-save'], { encoding: 'utf8' });
  const own = rules.split('\n').filter((line) => line.startsWith('-A CNI-DN-'));
  return entries(join(dir, 'run/netns')).length + leases.length + own.length;
}
