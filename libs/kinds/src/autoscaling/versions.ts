import type { ApiObject } from '@orch/machinery';
import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited, without } from '../values/edited.js';
import { isEmpty, isObject, mapAt } from '../values/fields.js';
import { keptKey, toV1, toV2 } from './convert.js';
import { CURRENT, flattened, nested, TARGETS } from './flat-metrics.js';
import { keptMember, writtenKept } from './kept-values.js';

const withEntries = (object: ApiObject, change: typeof nested): ApiObject =>
  edited(
    edited(object, 'spec.metrics.*', (entry) => change(entry, TARGETS)),
    'status.currentMetrics.*',
    (entry) => change(entry, CURRENT),
  );

const BEHAVIOR = { section: 'spec', field: 'behavior' } as const;

/** v2beta1 has no field for the behavior, and keeps it as JSON in an annotation. */
const v2beta1ToV2: Conversion = (object, { names, schema: hub }) => {
  const converted = withEntries(object, nested);
  const key = keptKey(names, 'behavior');
  const { [key]: text, ...annotations } = mapAt(object, 'metadata', 'annotations');
  const behavior = keptMember(hub, BEHAVIOR, 'behavior', text)?.value;
  if (!isObject(converted.spec) || !isObject(behavior)) return converted;
  return {
    ...converted,
    metadata: withAnnotations(object, annotations),
    spec: { ...converted.spec, behavior },
  };
};

const v2ToV2beta1: Conversion = (object, { names, schema: hub }) => {
  const converted = withEntries(object, flattened);
  const key = keptKey(names, 'behavior');
  const { [key]: text, ...others } = mapAt(object, 'metadata', 'annotations');
  if (isObject(converted.spec) && isObject(converted.spec.behavior)) {
    return {
      ...converted,
      metadata: withAnnotations(object, { ...others, [key]: writtenKept('behavior', converted.spec.behavior) }),
      spec: without(converted.spec, 'behavior'),
    };
  }
  // What v2 has of its own would be taken for the field.
  return keptMember(hub, BEHAVIOR, 'behavior', text)
    ? { ...converted, metadata: withAnnotations(object, others) }
    : converted;
};

function withAnnotations({ metadata }: ApiObject, annotations: Record<string, string>): ApiObject['metadata'] {
  const { annotations: _before, ...rest } = metadata ?? {};
  return isEmpty(annotations) ? rest : { ...rest, annotations };
}

/** How autoscalers are written beside `autoscaling/v2`. */
export const AUTOSCALING_VERSIONS: readonly VersionConversion[] = [
  { version: 'autoscaling/v1', hub: 'autoscaling/v2', toHub: toV2, fromHub: toV1 },
  { version: 'autoscaling/v2beta1', hub: 'autoscaling/v2', toHub: v2beta1ToV2, fromHub: v2ToV2beta1 },
  { version: 'autoscaling/v2beta2', hub: 'autoscaling/v2' },
].map((each) => ({ ...each, kinds: ['HorizontalPodAutoscaler'] }));
