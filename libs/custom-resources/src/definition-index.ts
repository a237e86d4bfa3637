import type { Definition } from './definition.js';
import type { DefinitionFollower } from './definition-follower.js';

/**
 * Index of unfinished definitions and of the definitions of each group, kept up to date as definitions change, so that
 * a round of the controller costs what there is to decide, not how many definitions exist.
 */
export class DefinitionIndex {
  /** Definitions by name, as last indexed. */
  readonly #known = new Map<string, Definition>();
  readonly #unfinished = new Map<string, Definition>();
  readonly #groups = new Map<string, Map<string, Definition>>();
  readonly #unsubscribe: () => void;

  constructor(private readonly follower: Pick<DefinitionFollower, 'definitions' | 'onChange'>) {
    for (const name of follower.definitions.keys()) this.#look(name);
    this.#unsubscribe = follower.onChange((changed) => {
      for (const name of changed) this.#look(name);
    });
  }

  /**
   * Definitions except those that have their names, are established, are not being deleted, and are stored in one
   * version.
   */
  get unfinished(): Iterable<Definition> {
    return this.#unfinished.values();
  }

  /** Returns all definitions of a group. */
  ofGroup(group: string): Iterable<Definition> {
    return this.#groups.get(group)?.values() ?? [];
  }

  /** Stops following changes. */
  stop(): void {
    this.#unsubscribe();
  }

  #look(name: string): void {
    const [before, now] = [this.#known.get(name), this.follower.definitions.get(name)];
    if (before) this.#forget(before);
    if (!now) return;
    this.#known.set(name, now);
    if (!isFinished(now)) this.#unfinished.set(name, now);
    const group = this.#groups.get(now.group) ?? new Map<string, Definition>();
    this.#groups.set(now.group, group.set(name, now));
  }

  #forget({ name, group }: Definition): void {
    this.#known.delete(name);
    this.#unfinished.delete(name);
    const members = this.#groups.get(group);
    members?.delete(name);
    if (members?.size === 0) this.#groups.delete(group);
  }
}

const isFinished = ({ isSettled, isEstablished, isTerminating, storageVersion, storedVersions }: Definition): boolean =>
  isSettled && isEstablished && !isTerminating && storedVersions.every((version) => version === storageVersion);
