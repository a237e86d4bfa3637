import type { Names } from '@orch/machinery';
import { ONE } from './amounts.js';
import { claimEvaluator } from './claims.js';
import { podEvaluator } from './pods.js';
import { serviceEvaluator } from './services.js';
import type { Evaluator } from './usage-evaluator.js';

/** A resource by its group ('' for the core group) and its plural. */
export interface QuotaResource {
  /** '' for the core group. */
  readonly group: string;
  /** Plural: `deployments`. */
  readonly resource: string;
}

/** Names that predate `count/…`. */
const OLD_NAMES: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']);

/** Returns the name under which objects of a resource are counted: `count/deployments.apps`. */
export const countName = ({ group, resource }: QuotaResource): string =>
  `count/${resource}${group === '' ? '' : `.${group}`}`;

/** Evaluators of the resources of an installation, created on demand. */
export class Evaluators {
  readonly #known = new Map<string, Evaluator | undefined>();

  /** @param resizing whether running pods may request more resources */
  constructor(
    private readonly names: Names,
    private readonly resizing = false,
  ) {}

  /** Undefined for resources that quotas do not count: events. */
  of(resource: QuotaResource): Evaluator | undefined {
    const name = countName(resource);
    if (!this.#known.has(name)) this.#known.set(name, this.#make(resource, name));
    return this.#known.get(name);
  }

  #make({ group, resource }: QuotaResource, name: string): Evaluator | undefined {
    if (resource === 'events' && (group === '' || group === this.names.group('events.orch.io'))) return undefined;
    if (group !== '') return countEvaluator([name]);
    switch (resource) {
      case 'pods':
        return podEvaluator(this.names, this.resizing);
      case 'services':
        return serviceEvaluator;
      case 'persistentvolumeclaims':
        return claimEvaluator(this.names);
      default:
        return countEvaluator(OLD_NAMES.has(resource) ? [name, resource] : [name]);
    }
  }
}

function countEvaluator(names: readonly string[]): Evaluator {
  const each = new Map(names.map((name) => [name, ONE]));
  return {
    usage: () => each,
    counts: (name) => each.has(name),
    inScope: () => false,
    changes: false,
    limitsUpdates: false,
  };
}
