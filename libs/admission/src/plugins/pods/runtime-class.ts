import { type ApiObject, copy, parseQuantity } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import type { RuntimeClass } from '@orch/schema/types/node/v1';
import type { Attributes } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { isAboutPods } from './pods.js';
import { mergeTolerations } from './tolerations.js';

type Spec = NonNullable<Pod['spec']>;
type Found = RuntimeClass | undefined;

const CLASSES = { group: 'node.orch.io', resource: 'runtimeclasses' };

/** New pods have the overhead of their runtime class, and run on its nodes. */
export const runtimeClass: PluginMaker = ({ objects }) => {
  const classes = objects.follow(CLASSES);
  /** Calls `judge` with the class that a pod names, from the cache, or from the database if the cache lacks it. */
  const withClass = (attributes: Attributes, judge: (spec: Spec, found: Found) => void): void | Promise<void> => {
    const { spec = {} } = attributes.object as Pod;
    const name = spec.runtimeClassName;
    if (name === undefined) return judge(spec, undefined);
    const known = classes.get('', name);
    if (known) return judge(spec, known as RuntimeClass);
    return objects.read(CLASSES, '', name).then((found: ApiObject | undefined) => {
      if (!found) throw refusal(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
      judge(spec, found as RuntimeClass);
    });
  };
  return {
    name: 'RuntimeClass',
    readsOnly: true,
    handles: (target) => target.operation === 'CREATE' && isAboutPods(target),
    admit: (attributes) =>
      withClass(attributes, (spec, found) => {
        setOverhead(attributes, spec, found);
        setScheduling(attributes, spec, found);
      }),
    validate: (attributes) =>
      withClass(attributes, (spec, found) => {
        if (found?.overhead) requireSame(attributes, spec.overhead, found.overhead.podFixed);
        else if (spec.overhead !== undefined)
          throw refusal(
            attributes,
            'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
          );
      }),
  };
};

type Amounts = Readonly<Record<string, string>>;

function requireSame(attributes: Attributes, own: Amounts = {}, wanted: Amounts = {}): void {
  const resources = Object.keys(own);
  const isSame = (resource: string) =>
    wanted[resource] !== undefined &&
    parseQuantity(own[resource] ?? '').compare(parseQuantity(wanted[resource] ?? '')) === 0;
  if (resources.length === Object.keys(wanted).length && resources.every(isSame)) return;
  throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setOverhead(attributes: Attributes, spec: Spec, found: Found): void {
  const podFixed = found?.overhead?.podFixed;
  if (!found?.overhead) return;
  if (spec.overhead !== undefined) requireSame(attributes, spec.overhead, podFixed);
  if (podFixed) spec.overhead = { ...podFixed };
  else delete spec.overhead;
}

function setScheduling(attributes: Attributes, spec: Spec, found: Found): void {
  if (!found?.scheduling) return;
  const { nodeSelector = {}, tolerations = [] } = found.scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const [theirs, mine] = [`runtimeClass.scheduling.nodeSelector[${key}]`, `pod.spec.nodeSelector[${key}]`];
    throw refusal(attributes, `conflict: ${theirs} = ${value}; ${mine} = ${own}`);
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const merged = mergeTolerations(spec.tolerations ?? [], copy(tolerations));
  if (merged.length > 0) spec.tolerations = merged;
}
