import { ensureMetadata } from '@orch/machinery';
import type { PluginMaker } from '../../plugin.js';

/** Volumes and claims that are deleted stay until whoever looks after them says that nobody uses them. */
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
