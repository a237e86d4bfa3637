import type { JsonObject } from '@orch/machinery';
import fc from 'fast-check';
import { columns } from './columns.js';
import { type States, states } from './objects.js';
import { itemParts, listTypes, patterns, specSchema } from './schemas.js';

/** A definition that nobody means well with, and an object for it before and after an update. */
export interface HostileCase extends States {
  readonly definition: JsonObject;
}

const NAMES = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };

function definitionOf(spec: JsonObject, printed: JsonObject[]): JsonObject {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    additionalPrinterColumns: printed,
    schema: { openAPIV3Schema },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', resourceVersion: '1' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: NAMES,
      conversion: { strategy: 'None' },
      versions: [version],
    },
    status: { acceptedNames: NAMES, storedVersions: ['v1'] },
  };
}

const casesOf = (isBold: boolean): fc.Arbitrary<HostileCase> =>
  fc
    .record({ parts: itemParts(isBold), texts: patterns(isBold), columns, listType: listTypes })
    .chain(({ parts, texts, columns: printed, listType }) =>
      states(parts.pattern?.text ?? 'plain').map((both) => ({
        definition: definitionOf(specSchema(parts, texts, listType), printed),
        ...both,
      })),
    );

/**
 * Definitions and objects that are as large as requests may be, and ask for more than they are worth. Most of them are such that a
 * server takes them, so that what comes behind is tried too.
 */
export const hostileCases: fc.Arbitrary<HostileCase> = fc.oneof(
  { weight: 3, arbitrary: casesOf(false) },
  { weight: 1, arbitrary: casesOf(true) },
);
