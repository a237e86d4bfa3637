import { ObjectFollower, type ObjectFollowerOptions } from '@orch/informers';
import type { Endpoint } from '@orch/resources';
import { type Definition, readDefinition } from './definition.js';

interface DefinitionFollowerOptions extends Omit<ObjectFollowerOptions<Definition>, 'type' | 'read'> {
  /** The endpoint of definitions, in the version that is stored. */
  readonly endpoint: Endpoint;
}

/** Informer of all definitions. */
export class DefinitionFollower extends ObjectFollower<Definition> {
  constructor({ endpoint, ...options }: DefinitionFollowerOptions) {
    super({ ...options, type: endpoint.type, read: (row, before) => readDefinition(row, endpoint, before) });
  }

  /** Definitions by name; changes in place. */
  get definitions(): ReadonlyMap<string, Definition> {
    return this.objects;
  }
}
