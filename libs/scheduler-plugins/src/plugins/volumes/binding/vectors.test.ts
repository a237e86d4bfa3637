import { namesOf } from '@orch/machinery';
import { sharedVectors } from '@orch/machinery/testing';
import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { volumeNamesOf } from '../volume-names.js';
import { boundVolume } from './bound-volume.js';
import { affinityProblem } from './volume-affinity.js';
import { isVolumeOf, VolumeCandidates } from './volume-candidates.js';

type Annotations = Record<string, string> | null;
type Reference = NonNullable<PersistentVolume['spec']>['claimRef'] | null;

interface Vector {
  readonly id: string;
  readonly mode: 'scheduler' | 'controller' | 'bind';
  readonly claim: PersistentVolumeClaim;
  readonly volumes: readonly PersistentVolume[];
  readonly node: { readonly labels?: Record<string, string> };
  readonly excluded?: readonly string[];
  readonly volume: string;
  readonly error?: string;
  readonly annotations: Annotations;
  readonly annotationsAfter: Annotations;
  readonly claimRef: Reference;
  readonly claimRefAfter: Reference;
  readonly changed: boolean;
  readonly isBoundToClaim: boolean;
}

const vectors = sharedVectors<Vector>('volume-vectors.jsonl');
const of = (mode: Vector['mode']) =>
  vectors.filter((vector) => vector.mode === mode).map((vector) => [vector.id, vector] as const);
const names = volumeNamesOf(namesOf('kubernetes'));

describe.skipIf(vectors.length === 0)('the reference', () => {
  it.each(of('scheduler'))('chooses a volume for a claim on a node: %s', (_id, vector) => {
    const candidates = new VolumeCandidates(vector.claim, vector.volumes, names);
    const node: { labels: Record<string, string> } = { labels: vector.node.labels ?? {} };
    const found = candidates.find(
      (volume) => affinityProblem(volume, node, undefined, names) === undefined,
      node.labels[names.hostname] ?? '',
      new Set(vector.excluded),
    );
    expect(found?.metadata?.name ?? '').toBe(vector.volume);
  });

  it.each(of('bind'))('binds a volume to a claim: %s', (_id, vector) => {
    const { annotations, claimRef } = vector;
    const volume: PersistentVolume = {
      metadata: { name: 'pv', ...(annotations && { annotations }) },
      spec: { ...(claimRef && { claimRef }) },
    };
    const claim = { metadata: { name: 'claim', namespace: 'ns', uid: 'uid-claim', resourceVersion: '7' } };
    const bound = boundVolume(volume, claim, names);
    expect(isVolumeOf(volume, claim)).toBe(vector.isBoundToClaim);
    expect(bound !== volume).toBe(vector.changed);
    expect(bound.metadata?.annotations ?? null).toEqual(vector.annotationsAfter);
    expect(bound.spec?.claimRef ?? null).toEqual(vector.claimRefAfter);
  });
});
