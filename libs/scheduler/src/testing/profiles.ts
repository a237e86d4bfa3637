import { namesOf } from '@orch/machinery';
import { readSchedulerConfiguration } from '../configuration/read-configuration.js';
import type { Profile } from '../framework/profile.js';
import { makeProfile } from '../plugins/make-profile.js';
import { pluginRegistry } from '../plugins/registry.js';

const names = namesOf('kubernetes');
const LATER = [
  'VolumeRestrictions',
  'EBSLimits',
  'GCEPDLimits',
  'NodeVolumeLimits',
  'AzureDiskLimits',
  'VolumeBinding',
  'VolumeZone',
];
const registry = new Map([...LATER.map((n) => [n, new Set(['filter'])] as never), ...pluginRegistry]);

/** Profiles of a configuration, as it is in a file. */
export function profilesFrom(value: object): readonly Profile[] {
  const { configuration } = readSchedulerConfiguration(value, {
    registry,
    names,
    features: { volumeCapacityPriority: false },
  });
  return configuration.profiles.map((each) => makeProfile(each, configuration.percentageOfNodesToScore, names));
}

/** The default profile. @param profile what is different in it */
export function profilesOf(profile: object = {}): readonly Profile[] {
  return profilesFrom({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [profile],
  });
}
