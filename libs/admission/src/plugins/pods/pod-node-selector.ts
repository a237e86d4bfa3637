import { type ApiObject, memberOf } from '@orch/machinery';
import type { Attributes } from '../../attributes.js';
import { plainFailure } from '../../failures.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { conflicts, parseSelectorMap, type SelectorMap } from '../../selector-map.js';
import { membersOf } from '../../versioned-configuration.js';
import { NamespaceLookup } from '../namespaces/namespace-lookup.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/** Member of the configuration for namespaces without the annotation. */
const DEFAULT = 'clusterDefaultNodeSelector';

/**
 * Restricts the pods of a namespace to the nodes that its annotation selects. The configuration may limit the labels in
 * the node selectors of its pods.
 */
export const podNodeSelector: PluginMaker = ({ names, objects, configuration }) => {
  const namespaces = new NamespaceLookup(objects);
  const annotation = names.key('scheduler.alpha.orch.io/node-selector');
  const configured = readConfiguration(configuration);
  const chosenBy = (namespace: ApiObject): SelectorMap => {
    const stated = memberOf(namespace.metadata?.annotations ?? {}, annotation);
    return parsed(stated ?? configured.get(DEFAULT) ?? '');
  };
  const judge = (attributes: Attributes, namespace: ApiObject) => {
    const { nodeSelector = {} } = podOf(attributes).spec ?? {};
    requireNoConflict(attributes, chosenBy(namespace));
    const allowed = parsed(configured.get(attributes.namespace) ?? '');
    const isAllowed = Object.entries(nodeSelector).every(([key, value]) => allowed.get(key) === value);
    if (allowed.size > 0 && !isAllowed)
      throw refusal(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    readsOnly: true,
    callsOut: true,
    handles: (target) => target.operation === 'CREATE' && isAboutPods(target),
    admit: (attributes) =>
      namespaces.with(attributes.namespace, (namespace) => {
        const chosen = chosenBy(namespace);
        requireNoConflict(attributes, chosen);
        const { spec } = podOf(attributes);
        if (spec && chosen.size > 0) spec.nodeSelector = { ...Object.fromEntries(chosen), ...spec.nodeSelector };
        judge(attributes, namespace);
      }),
    validate: (attributes) =>
      namespaces.with(attributes.namespace, (namespace) => {
        judge(attributes, namespace);
      }),
  };
};

function requireNoConflict(attributes: Attributes, chosen: SelectorMap): void {
  const asked = new Map(Object.entries(podOf(attributes).spec?.nodeSelector ?? {}));
  if (conflicts(chosen, asked))
    throw refusal(attributes, 'pod node label selector conflicts with its namespace node label selector');
}

function parsed(text: string): SelectorMap {
  try {
    return parseSelectorMap(text);
  } catch (error) {
    throw plainFailure((error as Error).message);
  }
}

/** Reads the configuration: selectors by namespace. */
function readConfiguration(configuration: unknown): ReadonlyMap<string, string> {
  if (configuration === undefined) return new Map();
  const { podNodeSelectorPluginConfig: stated } = membersOf(configuration, 'the configuration of PodNodeSelector');
  const members = membersOf(stated ?? {}, 'podNodeSelectorPluginConfig');
  return new Map(
    Object.entries(members).map(([namespace, selector]) => {
      if (typeof selector !== 'string') throw new Error(`podNodeSelectorPluginConfig.${namespace} must be a string`);
      return [namespace, selector];
    }),
  );
}
