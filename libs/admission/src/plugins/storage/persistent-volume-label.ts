import type { NodeSelectorRequirement, PersistentVolume } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';

/** Placeholder for the name of a disk that is still to be provisioned. */
const TO_BE_MADE = 'placeholder-for-provisioning';
/** Separator of the zones in one label. */
const BETWEEN_ZONES = '__';

/**
 * Adds node affinity to cloud volumes. There is no cloud provider to query here: volumes made by a provisioner have
 * their zone and region in labels, and manually created cloud volumes are refused as by a server without that provider.
 */
export const persistentVolumeLabel: PluginMaker = ({ names }) => {
  const provisioner = names.key('pv.orch.io/provisioned-by');
  const places = ['topology', 'failure-domain.beta'].map((domain) => ({
    zone: names.key(`${domain}.orch.io/zone`),
    region: names.key(`${domain}.orch.io/region`),
  }));
  const zones = new Set(places.map(({ zone }) => zone));
  return {
    name: 'PersistentVolumeLabel',
    handles: ({ operation, group, resource }) =>
      operation === 'CREATE' && group === '' && resource === 'persistentvolumes',
    admit(attributes) {
      const volume = (attributes.object ?? {}) as PersistentVolume;
      const { labels = {}, annotations = {} } = volume.metadata ?? {};
      const place = places.find(({ zone, region }) => Object.hasOwn(labels, zone) && Object.hasOwn(labels, region));
      if (!place || !Object.hasOwn(annotations, provisioner)) {
        refuseClouds(attributes, volume);
        return;
      }
      const requirements = [place.zone, place.region].map((key) => {
        const value = labels[key] ?? '';
        const values = zones.has(key) ? zonesOf(attributes, value) : [value];
        return { key, operator: 'In' as const, values: [...values] };
      });
      require(volume, requirements);
    },
  };
};

function refuseClouds(attributes: Attributes, { spec = {} }: PersistentVolume): void {
  const { gcePersistentDisk: gce, azureDisk: azure, vsphereVolume: vsphere } = spec;
  const refuse = (what: string, cloud: string): never => {
    throw refusal(attributes, `error querying ${what}: unable to build ${cloud}`);
  };
  if (gce && gce.pdName !== TO_BE_MADE) refuse(`GCE PD volume ${gce.pdName ?? ''}`, 'GCE cloud provider for PD');
  else if (!gce && azure && azure.diskName !== TO_BE_MADE)
    refuse(`AzureDisk volume ${azure.diskName ?? ''}`, 'Azure cloud provider for AzureDisk');
  else if (!gce && !azure && vsphere) refuse(`vSphere Volume ${vsphere.volumePath ?? ''}`, 'vSphere cloud provider');
}

function zonesOf(attributes: Attributes, label: string): readonly string[] {
  const zones = label.split(BETWEEN_ZONES).map((zone) => zone.trim());
  if (zones.includes('')) throw refusal(attributes, `failed to convert label string for Zone: ${label} to a Set`);
  return [...new Set(zones)].sort();
}

/** Adds the requirements, unless the volume already has one of these keys. */
function require(volume: PersistentVolume, requirements: NodeSelectorRequirement[]): void {
  volume.spec ??= {};
  volume.spec.nodeAffinity ??= {};
  volume.spec.nodeAffinity.required ??= { nodeSelectorTerms: [] };
  const { required } = volume.spec.nodeAffinity;
  if ((required.nodeSelectorTerms ?? []).length === 0) required.nodeSelectorTerms = [{}];
  const terms = required.nodeSelectorTerms ?? [];
  const requiredKeys = new Set(terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)));
  if (requirements.some(({ key }) => requiredKeys.has(key))) return;
  for (const term of terms) term.matchExpressions = [...(term.matchExpressions ?? []), ...requirements];
}
