import { StatusError } from '@orch/machinery';
import type { Target } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { NAMESPACES } from './namespace-lookup.js';

/** Whether a write is about something within a namespace. */
export const isWithinNamespace = ({ namespace, group, kind }: Target): boolean =>
  namespace !== '' && !(group === '' && kind === 'Namespace');

/** Makes the namespace of what is created where there is none; a dry run makes nothing. */
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
        // What is not refused but cannot be had for now is told as what it is.
        throw error instanceof StatusError ? refusal(attributes, error.message) : error;
      }
    },
  };
};
