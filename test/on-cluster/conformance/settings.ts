import { RELEASE } from '../../clients/control-plane/release-module.js';
import type { SchedulerName } from '../control-plane.js';
import type { AgentName } from '../node-agents.js';
import type { ConformancePrograms } from './programs.js';

/** Names of the servers that the suite can be run against, with what tables call them. */
export const SERVERS = {
  orch: 'orch standalone',
  tiers: 'orch in two tiers',
  reference: 'kube-apiserver 1.27.16',
} as const;
/** Name of one of {@link SERVERS}. */
export type ServerName = keyof typeof SERVERS;

/** Lists of servers that have a name of their own. */
const LISTS: ReadonlyMap<string, readonly ServerName[]> = new Map([
  ['both', ['orch', 'reference']],
  ['all', Object.keys(SERVERS) as ServerName[]],
]);

/** Which cases of the suite of the release there are, with what tables call them. */
export const CASE_SETS = {
  conformance: '[Conformance]',
  /** Others that one node without clouds can be asked. */
  further: 'further cases',
  /** All patterns of use of volumes that are folders or disks of the node. */
  volumes: 'patterns of volumes',
} as const;
/** Name of one of {@link CASE_SETS}. */
export type CaseSet = keyof typeof CASE_SETS;

/** What is run, and how. */
export interface Order {
  /** Release whose suite is run, as `v1.27.16`. */
  readonly suite: string;
  readonly servers: readonly ServerName[];
  /** What runs the pods of the node. */
  readonly agent: AgentName;
  /** What places pods. */
  readonly scheduler: SchedulerName;
  readonly cases: CaseSet;
  /** Special interest groups, as `network`; all when empty. */
  readonly groups: readonly string[];
  /** Regular expression of the names of cases; all when undefined. */
  readonly only: string | undefined;
  /** Whether results of chosen cases replace what is kept of these. */
  readonly amends: boolean;
  /** Cases that run at once. */
  readonly atOnce: number;
  /** Bound of the run on one server. */
  readonly minutes: number;
  /** Whether to wait once the cluster is up, and run nothing. */
  readonly hold: boolean;
  /** Folder for logs; undefined for none. */
  readonly logs: string | undefined;
}

/**
 * Reads the variables of the environment that `make conformance` is given.
 *
 * @throws Error for what is none of their values
 */
export function orderOf(env: NodeJS.ProcessEnv): Order {
  const { SUITE = RELEASE, SERVER = 'orch', SIGS = '', ONLY, AMEND, PROCS = '6', MINUTES = '120', OUT, HOLD } = env;
  const [agent, scheduler] = [componentOf('NODE_AGENT', env), componentOf('SCHEDULER', env)];
  const suite = releaseOf(SUITE);
  const cases = casesOf(env, suite);
  const servers = LISTS.get(SERVER) ?? (wordsOf(SERVER) as ServerName[]);
  const isServer = (name: string) => Object.hasOwn(SERVERS, name);
  if (servers.length === 0 || !servers.every(isServer))
    throw new Error(`SERVER: ${[...Object.keys(SERVERS), ...LISTS.keys()].join(', ')}, or several, not ${SERVER}`);
  if (suite !== RELEASE && (servers.length > 1 || servers[0] === 'reference'))
    throw new Error(`SERVER: ${SERVERS.reference} runs what fails on one other of the suite of a later release`);
  const [atOnce, minutes] = [countOf('PROCS', PROCS), countOf('MINUTES', MINUTES)];
  if (ONLY !== undefined) new RegExp(ONLY); // says what is wrong before an hour of compiling
  const choice = { groups: wordsOf(SIGS), only: ONLY, amends: AMEND !== undefined, atOnce, minutes };
  return { suite, servers, agent, scheduler, cases, ...choice, hold: HOLD !== undefined, logs: OUT };
}

function casesOf({ CASES = 'conformance' }: NodeJS.ProcessEnv, suite: string): CaseSet {
  if (!Object.hasOwn(CASE_SETS, CASES)) throw new Error(`CASES: ${Object.keys(CASE_SETS).join(', ')}, not ${CASES}`);
  if (CASES !== 'conformance' && suite !== RELEASE) throw new Error(`CASES: others are those of ${RELEASE} alone`);
  return CASES as CaseSet;
}

/** Whose a component of the cluster is. */
function componentOf(variable: 'NODE_AGENT' | 'SCHEDULER', env: NodeJS.ProcessEnv): 'reference' | 'orch' {
  const { [variable]: value = 'reference' } = env;
  if (value === 'reference' || value === 'orch') return value;
  throw new Error(`${variable}: reference or orch, not ${value}`);
}

function releaseOf(value: string): string {
  const [, release] = /^v?(1\.\d+\.\d+)$/.exec(value) ?? [];
  if (release === undefined) throw new Error(`SUITE: a release, as 1.37.2, not ${value}`);
  return `v${release}`;
}

const wordsOf = (list: string): string[] => list.split(/[\s,+]+/).filter((word) => word !== '');

function countOf(name: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`${name}: a number from 1, not ${value}`);
  return Number(value);
}

/** What the part outside the namespaces hands over. */
export interface InsideSettings extends Omit<Order, 'servers' | 'logs' | 'amends'> {
  readonly dir: string;
  readonly server: ServerName;
  readonly programs: ConformancePrograms;
  /** Folder of the suite's images. */
  readonly images: string;
  /** The network namespace of the machine. */
  readonly outside: string;
  /** File that the result is written to. */
  readonly result: string;
}
