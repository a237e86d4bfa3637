import { namesOf } from '@orch/machinery';
import { type Profile, pluginRegistry, VolumeContext } from '@orch/scheduler-plugins';
import { makeProfile } from '../configuration/make-profile.js';
import { readSchedulerConfiguration } from '../configuration/read-configuration.js';
import { FakeCluster } from './fake-cluster.js';

const names = namesOf('kubernetes');

/** Profiles of a configuration, as it is in a file. @param cluster whose volumes they look at; default: one without any */
export function profilesFrom(value: object, cluster = new FakeCluster()): readonly Profile[] {
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

/** The default profile. @param profile what is different in it */
export function profilesOf(profile: object = {}, cluster?: FakeCluster): readonly Profile[] {
  const value = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [profile],
  };
  return profilesFrom(value, cluster);
}
