import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';
import { equal } from '../values/equal.js';
import { isEmpty, isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import { renamed, reversed } from '../values/rename.js';

/** Members that stood once for all versions, by the name that each has in a version. */
const SHARED = new Map([
  ['validation', 'schema'],
  ['subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
]);
const COLUMN_TO_V1: ReadonlyMap<string, string> = new Map([['JSONPath', 'jsonPath']]);
const COLUMN_TO_V1BETA1 = reversed(COLUMN_TO_V1);
const EVERY_COLUMN = 'spec.versions.*.additionalPrinterColumns.*';

const toV1: Conversion = (object) => {
  const apart = edited(object, 'spec', ({ version, preserveUnknownFields, ...spec }) => ({
    ...toEachVersion(spec, version),
    ...(preserveUnknownFields === true && { preserveUnknownFields }),
  }));
  const columns = edited(apart, EVERY_COLUMN, (column) => renamed(column, COLUMN_TO_V1));
  return edited(columns, 'spec.conversion', ({ webhookClientConfig, conversionReviewVersions, ...conversion }) => {
    const webhook = {
      ...(webhookClientConfig !== undefined && { clientConfig: webhookClientConfig }),
      ...(conversionReviewVersions !== undefined && { conversionReviewVersions }),
    };
    return { ...conversion, ...(!isEmpty(webhook) && { webhook }) };
  });
};

/** Copies the settings for all versions into each. */
function toEachVersion(spec: Json, version: unknown): Json {
  const rest = { ...spec };
  const common: Json = {};
  for (const [name, inVersion] of SHARED) {
    if (rest[name] !== undefined) common[inVersion] = rest[name];
    delete rest[name];
  }
  const versions = isEmpty(rest.versions) && version ? [{ name: version, served: true, storage: true }] : rest.versions;
  if (!Array.isArray(versions)) return rest;
  return { ...rest, versions: versions.map((each) => (isObject(each) ? { ...each, ...common } : each)) };
}

const toV1beta1: Conversion = (object) => {
  const columns = edited(object, EVERY_COLUMN, (column) => renamed(column, COLUMN_TO_V1BETA1));
  const together = edited(columns, 'spec', (spec) => ({
    ...toAllVersions(spec),
    // Its default was true.
    preserveUnknownFields: spec.preserveUnknownFields ?? false,
  }));
  return edited(together, 'spec.conversion', ({ webhook, ...conversion }) => {
    if (!isObject(webhook)) return conversion;
    const { clientConfig, conversionReviewVersions } = webhook;
    return {
      ...conversion,
      ...(clientConfig !== undefined && { webhookClientConfig: clientConfig }),
      ...(conversionReviewVersions !== undefined && { conversionReviewVersions }),
    };
  });
};

/** Moves settings that are equal in all versions to the definition; no version may have them then. */
function toAllVersions(spec: Json): Json {
  const versions = objectsAt(spec, 'versions');
  const [first] = versions;
  if (!first) return spec;
  const common: Json = {};
  const rest = versions.map((version) => ({ ...version }));
  for (const [name, inVersion] of SHARED) {
    if (!versions.every((version) => equal(version[inVersion], first[inVersion]))) continue;
    if (first[inVersion] !== undefined) common[name] = first[inVersion];
    for (const version of rest) delete version[inVersion];
  }
  return { ...spec, version: textAt(first, 'name'), versions: rest, ...common };
}

/** Writes out the old defaults: namespaced objects that keep unknown fields. */
const looseDefinition: Conversion = (object) => {
  const spoken = edited(object, 'spec', (spec) => filled(spec, { scope: 'Namespaced', preserveUnknownFields: true }));
  return edited(spoken, 'spec.conversion', (conversion) =>
    conversion.strategy === 'Webhook' ? filled(conversion, { conversionReviewVersions: ['v1beta1'] }) : conversion,
  );
};

/** How definitions were written before `apiextensions.orch.io/v1`. */
export const APIEXTENSIONS_VERSIONS: readonly VersionConversion[] = [
  {
    version: 'apiextensions.orch.io/v1beta1',
    kinds: ['CustomResourceDefinition'],
    hub: 'apiextensions.orch.io/v1',
    toHub: toV1,
    fromHub: toV1beta1,
    defaults: looseDefinition,
  },
];
