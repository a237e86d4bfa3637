import type { PluginMaker } from '../../plugin.js';
import { isWithinNamespace } from './namespace-auto-provision.js';
import { NamespaceLookup } from './namespace-lookup.js';

/** Nothing is written in a namespace that is not there. */
export const namespaceExists: PluginMaker = ({ objects }) => {
  const namespaces = new NamespaceLookup(objects);
  return {
    name: 'NamespaceExists',
    readsOnly: true,
    callsOut: (target) => target.operation === 'CREATE',
    handles: isWithinNamespace,
    validate: ({ namespace }) => namespaces.with(namespace, () => undefined),
  };
};
