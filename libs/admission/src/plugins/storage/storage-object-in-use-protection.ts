import { ensureMetadata } from '@orch/machinery';
import type { PluginMaker } from '../../plugin.js';

/**
 * Adds finalizers to volumes and claims, so that deleted ones stay until their controller confirms that they are
 * unused.
 */
export const storageObjectInUseProtection: PluginMaker = ({ names }) => {
  const finalizers: ReadonlyMap<string, string> = new Map([
    ['persistentvolumes', names.key('orch.io/pv-protection')],
    ['persistentvolumeclaims', names.key('orch.io/pvc-protection')],
  ]);
  return {
    name: 'StorageObjectInUseProtection',
    handles: ({ operation, group, resource, subresource }) =>
      finalizers.has(resource) && operation === 'CREATE' && subresource === '' && group === '',
    admit({ resource, object }) {
      const finalizer = finalizers.get(resource);
      if (!object || finalizer === undefined) return;
      const metadata = ensureMetadata(object);
      const { finalizers: own = [] } = metadata;
      if (!own.includes(finalizer)) metadata.finalizers = [...own, finalizer];
    },
  };
};
