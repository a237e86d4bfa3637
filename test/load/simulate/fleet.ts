import type { Costs } from './costs.js';
import { type GatewayResult, simulateGateway } from './gateway-model.js';

export interface Fleet {
  /** Watchers of all gateways together, spread evenly. */
  readonly watchers: number;
  /** Changes per second of the types that are watched. */
  readonly writes: number;
  /** Audiences that the watchers form, of equal size; each change concerns one of them. */
  readonly audiences: number;
  readonly host: Host;
  readonly limits: Limits;
}

/** Resources of a machine of gateways; each gateway takes a core. */
export interface Host {
  readonly cores: number;
  readonly memoryGib: number;
  readonly networkGbit: number;
}

export interface Limits {
  /** Share of a core, of memory and of the network that may be in use, so that a lost host's share fits elsewhere. */
  readonly headroom: number;
  readonly p99Ms: number;
  /** Cores of PostgreSQL and of NATS, and the network of the host of NATS in Gbit/s. */
  readonly postgresCores: number;
  readonly natsCores: number;
  readonly natsGbit: number;
}

const LIMITS = ['CPU', 'memory', 'network', 'latency', 'PostgreSQL', 'NATS CPU', 'NATS network'] as const;
export type Limit = (typeof LIMITS)[number];

export interface Plan {
  readonly gateways: number;
  readonly hosts: number;
  readonly watchersEach: number;
  readonly gateway: GatewayResult;
  /** Memory (GiB) and network (Gbit/s) of a host. */
  readonly memoryGib: number;
  readonly networkGbit: number;
  /** Cores in use. */
  readonly postgresCores: number;
  readonly apiServerCores: number;
  readonly natsCores: number;
  readonly natsGbit: number;
  /** Limits that are exceeded. */
  readonly over: readonly Limit[];
}

const GIB = 2 ** 30;
const US_PER_S = 1e6;
const GBIT = 1e9 / 8;
/** Changes that are simulated: enough for a 99th percentile, few enough for thousands of plans. */
const SIMULATED_CHANGES = 400;
const LEAST_SECONDS = 2;
const MOST_GATEWAYS = 20_000;
/** Numbers of gateways that are tried are so far apart. */
const STEP = 1.1;

/** Predicts the load of a fleet with this number of gateways. */
export function planOf(costs: Costs, fleet: Fleet, gateways: number): Plan {
  const { writes, audiences, host } = fleet;
  const watchersEach = Math.ceil(fleet.watchers / gateways);
  const present = Math.min(audiences, watchersEach);
  // An audience that is smaller than the fleet is present on some gateways only.
  const concerned = writes * (present / audiences);
  const gateway = simulateGateway(costs, {
    watchers: watchersEach,
    audiences: present,
    changes: writes,
    concerned,
    arrivals: 'random',
    seconds: Math.max(LEAST_SECONDS, SIMULATED_CHANGES / Math.max(concerned, 1)),
  });
  const perHost = Math.min(gateways, host.cores);
  const delivered = concerned * (watchersEach / present);
  const plan = {
    gateways,
    hosts: Math.ceil(gateways / host.cores),
    watchersEach,
    gateway,
    memoryGib: (perHost * (costs.memory.gateway + watchersEach * costs.memory.watcher)) / GIB,
    networkGbit: (perHost * (delivered + writes) * costs.eventBytes) / GBIT,
    postgresCores: (gateways * costs.poll + writes * costs.request.postgres) / US_PER_S,
    apiServerCores: (writes * costs.request.apiServer) / US_PER_S,
    natsCores: (gateways * writes * costs.hand) / US_PER_S,
    natsGbit: (gateways * writes * costs.eventBytes) / GBIT,
  };
  return { ...plan, over: exceeded(plan, fleet) };
}

function exceeded(plan: Omit<Plan, 'over'>, { host, limits }: Fleet): Limit[] {
  const { headroom } = limits;
  const over: readonly (readonly [Limit, boolean])[] = [
    ['CPU', plan.gateway.utilisation > headroom],
    ['memory', plan.memoryGib > headroom * host.memoryGib],
    ['network', plan.networkGbit > headroom * host.networkGbit],
    ['latency', plan.gateway.p99 > limits.p99Ms],
    ['PostgreSQL', plan.postgresCores > headroom * limits.postgresCores],
    ['NATS CPU', plan.natsCores > headroom * limits.natsCores],
    ['NATS network', plan.natsGbit > headroom * limits.natsGbit],
  ];
  return over.filter(([, is]) => is).map(([limit]) => limit);
}

/** Plans for more and more gateways, each about a tenth more than the one before. */
export function scan(costs: Costs, fleet: Fleet): Plan[] {
  const plans: Plan[] = [];
  for (let gateways = 1; gateways <= MOST_GATEWAYS; gateways = Math.ceil(gateways * STEP)) {
    plans.push(planOf(costs, fleet, gateways));
    if (plans.at(-1)?.watchersEach === 1) break;
  }
  return plans;
}

/** The fewest gateways (within a tenth) with which nothing is exceeded; undefined when there is no such number. */
export function recommended(plans: readonly Plan[]): Plan | undefined {
  return plans.find(({ over }) => over.length === 0);
}

export interface Range {
  readonly limit: Limit;
  /** Fewest and most gateways that keep it; undefined when none of those looked at does. */
  readonly from: number | undefined;
  /** Undefined when more and more gateways keep it. */
  readonly to: number | undefined;
}

/** For each limit how many gateways keep it. */
export function ranges(plans: readonly Plan[]): Range[] {
  return LIMITS.map((limit) => {
    const kept = plans.filter(({ over }) => !over.includes(limit));
    const last = kept.at(-1);
    return { limit, from: kept[0]?.gateways, to: last === plans.at(-1) ? undefined : last?.gateways };
  });
}
