import type { ExtensionPoint } from '../../configuration/extension-points.js';
import type { PluginArgs } from '../../configuration/plugin-args.js';
import type { FilterPlugin, ScorePlugin } from '../../framework/plugin.js';
import { attachLimit } from './attach-limits.js';
import { volumeBinding } from './binding/volume-binding.js';
import type { VolumeContext } from './binding/volume-context.js';
import { csiLimits } from './csi-limits.js';
import { volumeRestrictions } from './volume-restrictions.js';
import { volumeZone } from './volume-zone.js';

/** A plugin for volumes in the table of plugins. */
export interface VolumePluginEntry {
  /** Extension points that it implements. */
  readonly points: readonly ExtensionPoint[];
  /**
   * Makes the plugin.
   * @param context the same one for all profiles
   * @param maxVolumes limit of disks of clouds on nodes that give none themselves; undefined: by the kind of disk
   */
  readonly make: (context: VolumeContext, args: PluginArgs, maxVolumes?: number) => FilterPlugin & Partial<ScorePlugin>;
}

const limit = (name: string): VolumePluginEntry => ({
  points: ['filter'],
  make: ({ names }, _args, maxVolumes) => attachLimit(name, { names, ...(maxVolumes !== undefined && { maxVolumes }) }),
});

/** Plugins for volumes by name. */
export const VOLUME_PLUGINS: Readonly<Record<string, VolumePluginEntry>> = {
  VolumeRestrictions: { points: ['preFilter', 'filter'], make: () => volumeRestrictions },
  EBSLimits: limit('EBSLimits'),
  GCEPDLimits: limit('GCEPDLimits'),
  NodeVolumeLimits: { points: ['filter'], make: ({ names }) => csiLimits(names) },
  AzureDiskLimits: limit('AzureDiskLimits'),
  CinderLimits: limit('CinderLimits'),
  VolumeBinding: {
    points: ['preFilter', 'filter', 'reserve', 'preBind', 'score'],
    make: (context, args) => volumeBinding(context, args.VolumeBinding),
  },
  VolumeZone: { points: ['preFilter', 'filter'], make: ({ names }) => volumeZone(names) },
};
