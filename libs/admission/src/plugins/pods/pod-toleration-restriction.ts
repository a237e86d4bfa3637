import { type ApiObject, memberOf } from '@orch/machinery';
import type { Toleration } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';
import { plainFailure } from '../../failures.js';
import type { PluginMaker } from '../../plugin.js';
import { listOf, readConfiguration } from '../../versioned-configuration.js';
import { NamespaceLookup } from '../namespaces/namespace-lookup.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';
import { isBestEffort } from './quality-of-service.js';
import { isSuperset, mergeTolerations, readToleration } from './tolerations.js';

const KIND = { group: 'podtolerationrestriction.admission.orch.io', versions: ['v1alpha1'], kind: 'Configuration' };

/**
 * Adds default tolerations to the pods of a namespace, and restricts the tolerations that they may have, by its
 * annotations or the configuration.
 */
export const podTolerationRestriction: PluginMaker = ({ names, objects, configuration }) => {
  const namespaces = new NamespaceLookup(objects);
  const [defaults, allowed] = ['defaultTolerations', 'tolerationsWhitelist'].map((name) =>
    names.key(`scheduler.alpha.orch.io/${name}`),
  ) as [string, string];
  const configured = configuredTolerations(configuration);
  const pressure: Toleration = {
    key: names.key('node.orch.io/memory-pressure'),
    operator: 'Exists',
    effect: 'NoSchedule',
  };
  const judge = (attributes: Attributes, namespace: ApiObject) => {
    const { tolerations = [] } = podOf(attributes).spec ?? {};
    if (tolerations.length === 0) return;
    const own = annotated(namespace, allowed);
    const known = own ?? configured.whitelist;
    if (known.length === 0 || tolerations.every((one) => known.some((wide) => isSuperset(wide, one)))) return;
    const what = 'pod tolerations (possibly merged with namespace default tolerations)';
    throw plainFailure(`${what} conflict with its ${own ? 'namespace' : 'cluster'} whitelist`);
  };
  return {
    name: 'PodTolerationRestriction',
    readsOnly: true,
    callsOut: (target) => target.operation === 'CREATE',
    handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
    admit: (attributes) =>
      namespaces.with(attributes.namespace, (namespace) => {
        const { spec = {} } = podOf(attributes);
        const given = attributes.operation === 'CREATE' ? (annotated(namespace, defaults) ?? configured.default) : [];
        const extra = isBestEffort(spec) ? given : [...given, pressure];
        if (extra.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], extra);
        judge(attributes, namespace);
      }),
    validate: (attributes) =>
      namespaces.with(attributes.namespace, (namespace) => {
        judge(attributes, namespace);
      }),
  };
};

/** Returns the tolerations of an annotation; undefined without the annotation, which differs from an empty one. */
function annotated(namespace: ApiObject, key: string): readonly Toleration[] | undefined {
  const text = memberOf(namespace.metadata?.annotations ?? {}, key);
  if (text === undefined || text === '') return text === undefined ? undefined : [];
  try {
    const value: unknown = JSON.parse(text) ?? [];
    if (!Array.isArray(value)) throw new Error('cannot unmarshal object into a list of tolerations');
    return value.map(readToleration);
  } catch (error) {
    throw plainFailure(`json: ${(error as Error).message}`);
  }
}

function configuredTolerations(value: unknown): Readonly<Record<'default' | 'whitelist', readonly Toleration[]>> {
  if (value === undefined) return { default: [], whitelist: [] };
  const members = readConfiguration(value, KIND, ['default', 'whitelist']);
  const read = (name: string) =>
    listOf(members, name).map((one, at) => checked(readToleration(one), `podtolerationrestriction.${name}[${at}]`));
  return { default: read('default'), whitelist: read('whitelist') };
}

function checked(toleration: Toleration, path: string): Toleration {
  const { key = '', operator = '', effect = '', value = '' } = toleration;
  const problem = (why: string) => new Error(`invalid config: ${path}: ${why}`);
  if (!['', 'Equal', 'Exists'].includes(operator)) throw problem(`unknown operator ${JSON.stringify(operator)}`);
  if (!['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(effect))
    throw problem(`unknown effect ${JSON.stringify(effect)}`);
  if (key === '' && operator !== 'Exists') throw problem('operator must be Exists when `key` is empty');
  if (operator === 'Exists' && value !== '') throw problem('value must be empty when `operator` is Exists');
  return toleration;
}
