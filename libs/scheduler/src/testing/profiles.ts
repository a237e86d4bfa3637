import { namesOf } from '@orch/machinery';
import { readSchedulerConfiguration } from '../configuration/read-configuration.js';
import type { Profile } from '../framework/profile.js';
import { makeProfile } from '../plugins/make-profile.js';
import { pluginRegistry } from '../plugins/registry.js';
import { VolumeContext } from '../plugins/volumes/binding/volume-context.js';
import type { FakeCluster } from './fake-cluster.js';

const names = namesOf('kubernetes');
/** Profiles of a configuration, as it is in a file, over a cluster of a test. */
export function profilesFrom(cluster: FakeCluster, value: object): readonly Profile[] {
  const { configuration } = readSchedulerConfiguration(value, {
    registry: pluginRegistry,
    names,
    features: { volumeCapacityPriority: false },
  });
  const { informers, clock } = cluster;
  const volumes = new VolumeContext({ objects: informers, pods: informers.pods, writer: cluster, clock, names });
  return configuration.profiles.map((each) =>
    makeProfile(each, configuration.percentageOfNodesToScore, { names, volumes }),
  );
}

/** The default profile over a cluster of a test. @param profile what is different in it */
export function profilesOf(cluster: FakeCluster, profile: object = {}): readonly Profile[] {
  return profilesFrom(cluster, {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [profile],
  });
}
