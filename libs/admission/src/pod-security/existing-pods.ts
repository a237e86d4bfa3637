import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiObject, Names } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { podView } from './check.js';
import { findingsOn, reasonsOf } from './evaluator.js';
import { type LevelVersion, policyText } from './level-version.js';

interface ExistingPodsOptions {
  readonly names: Names;
  readonly namespace: string;
  /** Policy that will be enforced. */
  readonly enforce: LevelVersion;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  /** Deadline of the checks, monotonic milliseconds. */
  readonly until: number;
  /** Returns monotonic milliseconds. Default: the clock of the process. */
  readonly now?: () => number;
}

/**
 * Most pods that are checked, pods that are checked even after the deadline, and time between yields to the event loop,
 * ms.
 */
const [MOST_PODS, LEAST_PODS, PIECE_MS] = [3_000, 100, 10];

/** Pods with the same violations. */
interface Alike {
  /** The first name in alphabetical order. */
  name: string;
  count: number;
}

/**
 * Checks the pods of a namespace against a policy that will be enforced. One pod of each controller is checked first,
 * as the others of that controller are mostly like it.
 */
export class ExistingPods {
  readonly #alike = new Map<string, Alike>();
  readonly #controllers = new Set<string>();
  readonly #others: ApiObject[] = [];
  readonly #now: () => number;
  #total = 0;
  #checked = 0;
  #turnAt: number;

  constructor(private readonly options: ExistingPodsOptions) {
    this.#now = options.now ?? (() => performance.now());
    this.#turnAt = this.#now();
  }

  /** Returns the warnings about the pods. */
  async warnings(pages: AsyncIterable<readonly ApiObject[]>): Promise<readonly string[]> {
    let isWhole: boolean;
    try {
      isWhole = await this.#lookAt(pages);
    } catch {
      return ['failed to list pods while checking new PodSecurity enforce level'];
    }
    for (const pod of this.#others) {
      if (this.#checked >= MOST_PODS || this.#isLate()) break;
      await this.#check(pod);
    }
    return this.#warnings(isWhole);
  }

  /** Goes through the pages. @returns whether all pods have been seen */
  async #lookAt(pages: AsyncIterable<readonly ApiObject[]>): Promise<boolean> {
    for await (const page of pages) {
      for (const pod of page) await this.#see(pod);
      if (this.#isLate()) return false;
    }
    return true;
  }

  async #see(pod: ApiObject): Promise<void> {
    if (this.options.exemptRuntimeClasses.has(specOf(pod).runtimeClassName ?? '')) return;
    this.#total++;
    const controller = pod.metadata?.ownerReferences?.find((owner) => owner.controller)?.uid;
    const isLike = controller !== undefined && this.#controllers.has(controller);
    if (controller !== undefined) this.#controllers.add(controller);
    if (!isLike && this.#checked < MOST_PODS && !this.#isLate()) await this.#check(pod);
    else if (this.#others.length < MOST_PODS) this.#others.push(pod);
  }

  async #check(pod: ApiObject): Promise<void> {
    const { names, enforce } = this.options;
    this.#checked++;
    const findings = findingsOn(podView(names, pod.metadata, specOf(pod)), enforce);
    if (findings.length > 0) this.#count(reasonsOf(findings), pod.metadata?.name ?? '');
    if (this.#now() - this.#turnAt < PIECE_MS) return;
    await nextTurn();
    this.#turnAt = this.#now();
  }

  #count(reasons: string, name: string): void {
    const known = this.#alike.get(reasons) ?? { name, count: 0 };
    this.#alike.set(reasons, { name: name < known.name ? name : known.name, count: known.count + 1 });
  }

  #isLate(): boolean {
    return this.#checked >= LEAST_PODS && this.#now() >= this.options.until;
  }

  #warnings(isWhole: boolean): string[] {
    const { namespace, enforce } = this.options;
    const of = isWhole ? `${this.#total}` : `at least ${this.#total}`;
    const part = `new PodSecurity enforce level only checked against the first ${this.#checked} of ${of} existing pods`;
    const level = `the new PodSecurity enforce level "${policyText(enforce)}"`;
    return [
      ...(this.#checked < this.#total || !isWhole ? [part] : []),
      ...(this.#alike.size > 0 ? [`existing pods in namespace ${JSON.stringify(namespace)} violate ${level}`] : []),
      ...[...this.#alike].map(([reasons, alike]) => `${nameOf(alike)}: ${reasons}`).sort(),
    ];
  }
}

const specOf = ({ spec }: ApiObject): PodSpec => (spec ?? {}) as PodSpec;

function nameOf({ name, count }: Alike): string {
  if (count === 1) return name;
  return `${name} (and ${count - 1} other ${count === 2 ? 'pod' : 'pods'})`;
}
