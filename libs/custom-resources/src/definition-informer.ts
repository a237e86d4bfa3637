import { StoreInformer, type StoreInformerOptions } from '@orch/informers';
import type { Endpoint } from '@orch/resources';
import type { Indexers } from '@orch/runtime/informers';
import { type Definition, readDefinition } from './definition.js';

interface DefinitionInformerOptions extends Omit<StoreInformerOptions<Definition>, 'type' | 'read' | 'indexers'> {
  /** The endpoint of definitions, in the version that is stored. */
  readonly endpoint: Endpoint;
}

const GROUP = 'group';
const STATE = 'state';
const UNFINISHED = 'unfinished';

/** Indexes of definitions: by group, and those that are unfinished. */
export const definitionIndexers: Indexers<Definition> = {
  [GROUP]: ({ group }) => [group],
  [STATE]: (definition) => (isFinished(definition) ? [] : [UNFINISHED]),
};

/**
 * Informer of all definitions, with indexes by group and of the unfinished ones, so that a round of the controller
 * costs what there is to decide, not how many definitions exist.
 */
export class DefinitionInformer extends StoreInformer<Definition> {
  constructor({ endpoint, ...options }: DefinitionInformerOptions) {
    super({
      ...options,
      type: endpoint.type,
      read: (row, before) => readDefinition(row, endpoint, before),
      indexers: definitionIndexers,
    });
  }

  /** Definitions by name; changes in place. */
  get definitions(): ReadonlyMap<string, Definition> {
    return this.objects;
  }

  /**
   * Definitions except those that have their names, are established, are not being deleted, and are stored in one
   * version.
   */
  get unfinished(): Iterable<Definition> {
    return this.byIndex(STATE, UNFINISHED);
  }

  /** Returns all definitions of a group. */
  ofGroup(group: string): Iterable<Definition> {
    return this.byIndex(GROUP, group);
  }
}

const isFinished = ({ isSettled, isEstablished, isTerminating, storageVersion, storedVersions }: Definition): boolean =>
  isSettled && isEstablished && !isTerminating && storedVersions.every((version) => version === storageVersion);
