import { StatusError } from '@orch/machinery';
import type { Target } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { NAMESPACES } from './namespace-lookup.js';

/** Whether a write is about something within a namespace. */
export const isWithinNamespace = ({ namespace, group, kind }: Target): boolean =>
  namespace !== '' && !(group === '' && kind === 'Namespace');

/** Creates the missing namespace of a created object, except in a dry run. */
export const namespaceAutoProvision: PluginMaker = ({ objects, ownWrites }) => {
  const namespaces = objects.follow(NAMESPACES);
  return {
    name: 'NamespaceAutoProvision',
    callsOut: true,
    handles: (target) => target.operation === 'CREATE' && isWithinNamespace(target),
    async admit(attributes) {
      const { namespace: name, options, deadline } = attributes;
      if (options.dryRun || namespaces.get('', name)) return;
      try {
        await ownWrites.create(NAMESPACES, { metadata: { name } }, deadline);
      } catch (error) {
        // An error that is no refusal, such as an unavailable database, is passed on unchanged.
        throw error instanceof StatusError ? refusal(attributes, error.message) : error;
      }
    },
  };
};
