import { type ApiObject, formatApiVersion, type Names } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';
import { toV1, toV2 } from '../autoscaling/convert.js';
import { coreToEvents, eventsToCore } from '../events/convert.js';
import { priorityLevelToV1beta2, priorityLevelToV1beta3 } from '../flowcontrol/convert.js';

type Conversion = (object: ApiObject, target: ResourceDefinition, names: Names) => ApiObject;

/** By what is converted into what; groups in canonical names. Pairs that are not here differ in name only. */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'autoscaling/v1 HorizontalPodAutoscaler > autoscaling/v2': toV2,
  'autoscaling/v2 HorizontalPodAutoscaler > autoscaling/v1': (object, _target, names) => toV1(object, names),
  'v1 Event > events.orch.io/v1': coreToEvents,
  'events.orch.io/v1 Event > v1': eventsToCore,
  'flowcontrol.apiserver.orch.io/v1beta2 PriorityLevelConfiguration > flowcontrol.apiserver.orch.io/v1beta3':
    priorityLevelToV1beta3,
  'flowcontrol.apiserver.orch.io/v1beta3 PriorityLevelConfiguration > flowcontrol.apiserver.orch.io/v1beta2':
    priorityLevelToV1beta2,
};

const tables = new Map<Names, ReadonlyMap<string, Conversion>>();

/** The conversions under the names of a profile. */
function tableFor(names: Names): ReadonlyMap<string, Conversion> {
  const known = tables.get(names);
  if (known) return known;
  const version = (text: string) => {
    const [group, rest] = text.split('/');
    return rest === undefined || group === undefined ? text : `${names.group(group)}/${rest}`;
  };
  const table = new Map(
    Object.entries(CONVERSIONS).map(([pair, conversion]) => {
      const [source = '', target = ''] = pair.split(' > ');
      const [from = '', kind = ''] = source.split(' ');
      return [`${version(from)} ${kind} > ${version(target)}`, conversion];
    }),
  );
  tables.set(names, table);
  return table;
}

/**
 * An object of one version in another version of the same kind, without loss: converted back it is what it was.
 * Returns a new object that may share parts with the old one; the old one is left as it is.
 */
export function convert(from: ResourceDefinition, to: ResourceDefinition, object: ApiObject, names: Names): ApiObject {
  const source = formatApiVersion(from);
  const target = formatApiVersion(to);
  if (source === target) return object;
  const conversion = tableFor(names).get(`${source} ${from.kind} > ${target}`);
  const converted = conversion ? conversion(object, to, names) : { ...object };
  return { ...converted, apiVersion: target, kind: to.kind };
}
