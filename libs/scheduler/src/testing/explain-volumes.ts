import { setImmediate as nextTurn } from 'node:timers/promises';
import { namesOf } from '@orch/machinery';
import { type NodeInfo, type Profile, pluginRegistry, podInfoOf, VolumeContext } from '@orch/scheduler-plugins';
import type { Pod } from '@orch/schema/types/core/v1';
import { makeProfile } from '../configuration/make-profile.js';
import { readSchedulerConfiguration } from '../configuration/read-configuration.js';
import { FilterEvaluation } from '../cycle/filter-evaluation.js';
import { type Explanation, explain, stateOf } from './explain.js';
import type { FakeCluster } from './fake-cluster.js';

const names = namesOf('kubernetes');

/** Writes that would be made for the volumes of a pod on each node that it can be on. */
export interface VolumeExplanation extends Explanation {
  /** Writes by node: `volume=claim` for volumes, `claim@node` for claims whose volume is to be made. */
  readonly writes: Readonly<Record<string, readonly string[]>>;
}

/** Explains what would be decided about a pod with volumes that is not in the cluster yet. @param value a configuration */
export async function explainVolumes(cluster: FakeCluster, pod: Pod, value: object): Promise<VolumeExplanation> {
  const writes: string[] = [];
  const profile = recordingProfile(cluster, value, writes);
  const explanation = await explain(cluster, pod, profile);
  const state = stateOf(cluster);
  const found: Record<string, readonly string[]> = {};
  for (const node of state.nodes) {
    if (explanation.reasons?.[node.name] !== '') continue;
    writes.length = 0;
    const evaluation = FilterEvaluation.prepare(podInfoOf(pod), profile.filters, state, () => []);
    if (!('reasons' in evaluation)) await reserveOn(node, evaluation);
    found[node.name] = [...writes].sort();
  }
  return { ...explanation, writes: found };
}

/** Writes what is reserved on a node, and gives it back. */
async function reserveOn(node: NodeInfo, evaluation: FilterEvaluation): Promise<void> {
  const abort = new AbortController();
  for (const reservation of evaluation.reserve(node)) {
    const ended = reservation.preBind(abort.signal).catch(() => undefined);
    await nextTurn();
    abort.abort();
    await ended;
    reservation.undo();
  }
}

/** The first profile of a configuration, whose writes of volumes are recorded and not made. */
function recordingProfile({ informers, clock }: FakeCluster, value: object, writes: string[]): Profile {
  const features = { volumeCapacityPriority: false };
  const { configuration } = readSchedulerConfiguration(value, { registry: pluginRegistry, names, features });
  const volumes = new VolumeContext({
    ...{ objects: informers, pods: informers.pods, clock, names },
    writer: {
      async updateVolume(volume) {
        writes.push(`${volume.metadata?.name}=${volume.spec?.claimRef?.name}`);
        return volume;
      },
      async updateClaim(claim) {
        const node = claim.metadata?.annotations?.['volume.kubernetes.io/selected-node'];
        writes.push(`${claim.metadata?.name}@${node}`);
        return claim;
      },
    },
  });
  const [first] = configuration.profiles;
  if (!first) throw new Error('there is no profile');
  return makeProfile(first, 100, { names, volumes });
}
