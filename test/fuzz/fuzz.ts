import { namesOf } from '@orch/machinery';
import { loadScheme, type ResourceDefinition } from '@orch/schema';
import fc from 'fast-check';
import type { Api } from '../support/api.js';
import { arbitraryObject } from './arbitrary-object.js';
import { meaningful } from './meaningful.js';
import { roundTrip } from './round-trip.js';

export interface FuzzSettings {
  readonly seed: number;
  /** Objects, over all kinds together. */
  readonly objects: number;
}

export interface FuzzReport {
  /** Objects that the server took, by `group/version resource`. */
  readonly accepted: ReadonlyMap<string, number>;
  readonly refused: number;
}

/** Kinds that can be created, read and deleted like any other. */
export function ordinaryKinds(): readonly ResourceDefinition[] {
  const verbs = ['create', 'get', 'delete'];
  return loadScheme(namesOf('kubernetes')).resources.filter(
    (definition) =>
      definition.stored && definition.servedByDefault && verbs.every((verb) => definition.verbs.includes(verb)),
  );
}

/** Round trips of generated objects of every kind. @throws fast-check's error, with the smallest object that fails */
export async function fuzzRoundTrips(api: Api, { seed, objects }: FuzzSettings): Promise<FuzzReport> {
  const kinds = ordinaryKinds();
  const accepted = new Map<string, number>();
  let refused = 0;
  const each = Math.ceil(objects / kinds.length);
  for (const definition of kinds) {
    const name = `${definition.group}/${definition.version} ${definition.resource}`;
    const property = fc.asyncProperty(arbitraryObject(definition).map(meaningful), async (object) => {
      if (await roundTrip(api, definition, object)) accepted.set(name, (accepted.get(name) ?? 0) + 1);
      else refused++;
    });
    await fc.assert(property, { seed, numRuns: each, endOnFailure: false });
  }
  return { accepted, refused };
}
