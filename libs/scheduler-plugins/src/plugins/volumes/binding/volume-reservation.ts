import type { Clock } from '@orch/runtime/clock';
import type { PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import type { NodeInfo } from '../../../framework/node-info.js';
import type { PluginReservation } from '../../../framework/plugin.js';
import type { PodInfo } from '../../../framework/pod-info.js';
import { isFullyBound } from '../volume-names.js';
import { isNewer } from './assumed-objects.js';
import { boundVolume } from './bound-volume.js';
import type { NodeVolumes, StaticBinding } from './pod-volumes.js';
import { affinityProblem } from './volume-affinity.js';
import type { VolumeContext } from './volume-context.js';

/** Result of the wait for volumes that took too long. */
const TIMED_OUT = 'timed out waiting for the condition';

const RECHECK_MS = 1_000;

const keyOf = ({ metadata }: PersistentVolumeClaim): string => `${metadata?.namespace}/${metadata?.name}`;

/** Volumes and claims of a pod on a node that was chosen: assumed at once, written before the pod is bound. */
export class VolumeReservation implements PluginReservation {
  readonly #bindings: StaticBinding[] = [];
  readonly #provisions: PersistentVolumeClaim[] = [];
  /** Gives up what was assumed for this pod. */
  readonly #restore: (() => void)[] = [];

  /** Assumes everything, or nothing. @throws Error for what has changed or gone meanwhile */
  constructor(
    private readonly context: VolumeContext,
    private readonly pod: PodInfo,
    private readonly node: NodeInfo,
    { bindings, provisions }: NodeVolumes,
    private readonly timeoutMs: number,
  ) {
    try {
      for (const binding of bindings) this.#assumeVolume(binding);
      for (const claim of provisions) this.#assumeClaim(claim);
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /**
   * Writes volumes and claims, and waits until they are bound; nothing that was written is taken back.
   * @param signal aborts when the scheduler ends
   */
  async preBind(signal: AbortSignal): Promise<void> {
    try {
      await this.#write(signal);
    } catch (error) {
      this.context.failed('bind');
      throw error;
    }
    try {
      await this.#untilBound(signal);
    } catch (error) {
      this.context.failed('bind');
      throw new Error(`binding volumes: ${(error as Error).message}`, { cause: error });
    }
  }

  undo(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  #assumeVolume({ claim, volume }: StaticBinding): void {
    const { volumes, names } = this.context;
    const bound = boundVolume(volume, claim, names);
    const name = volume.metadata?.name ?? '';
    if (bound !== volume) {
      volumes.assume(name, bound);
      this.#restore.push(() => volumes.restore(name, bound));
    }
    this.#bindings.push({ claim, volume: bound });
  }

  #assumeClaim(claim: PersistentVolumeClaim): void {
    const { claims, names } = this.context;
    const annotations = { ...claim.metadata?.annotations, [names.selectedNode]: this.node.name };
    const selected = { ...claim, metadata: { ...claim.metadata, annotations } };
    claims.assume(keyOf(claim), selected);
    this.#restore.push(() => claims.restore(keyOf(claim), selected));
    this.#provisions.push(selected);
  }

  /** Assumed objects stay so until the API shows what was written; where a write fails, the caller undoes all. */
  async #write(signal: AbortSignal): Promise<void> {
    const { writer } = this.context;
    for (const [at, { claim, volume }] of this.#bindings.entries())
      this.#written.bindings[at] = { claim, volume: await writer.updateVolume(volume, signal) };
    for (const [at, claim] of this.#provisions.entries())
      this.#written.provisions[at] = await writer.updateClaim(claim, signal);
  }

  /** Objects as they were stored. */
  readonly #written: { bindings: StaticBinding[]; provisions: PersistentVolumeClaim[] } = {
    bindings: [],
    provisions: [],
  };

  #untilBound(signal: AbortSignal): Promise<void> {
    const { objects, pods, clock } = this.context;
    return new Promise((resolve, reject) => {
      const stops: (() => void)[] = [];
      const end = (settle: () => void) => {
        for (const stop of stops.splice(0)) stop();
        settle();
      };
      const abort = () => end(() => reject(new Error('the scheduler ends')));
      const check = () => {
        try {
          if (this.#isBound()) end(resolve);
        } catch (error) {
          end(() => reject(error));
        }
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      stops.push(
        () => signal.removeEventListener('abort', abort),
        clock.after(this.timeoutMs, () => end(() => reject(new Error(TIMED_OUT)))),
        objects.persistentVolumes.onChange(check),
        objects.persistentVolumeClaims.onChange(check),
        pods.onChange((changed) => changed.has(this.pod.key) && check()),
      );
      // Nodes change without any of these changing.
      stops.push(repeat(clock, check));
      check();
    });
  }

  /** Whether all is bound, by what the API has shown. @throws Error where it cannot become so any more */
  #isBound(): boolean {
    const { key, uid, name } = this.pod;
    if (this.context.pods.get(key)?.metadata?.uid !== uid)
      throw new Error(`pod does not exist any more: pod "${name}" not found`);
    if (!this.node.isKnown)
      throw new Error(`failed to get node "${this.node.name}": node "${this.node.name}" not found`);
    const { bindings, provisions } = this.#written;
    return bindings.every((each) => this.#isVolumeBound(each)) && provisions.every((each) => this.#isProvisioned(each));
  }

  #isVolumeBound({ claim, volume: written }: StaticBinding): boolean {
    const { volumes, claims, names } = this.context;
    const name = written.metadata?.name ?? '';
    const [volume, seenClaim] = within('failed to check binding', () => [
      volumes.seen(name),
      claims.seen(keyOf(claim)),
    ]);
    if (isNewer(written, volume)) return false;
    this.#checkAffinity(name);
    if (!volume.spec?.claimRef?.uid) throw new Error(`ClaimRef got reset for pv "${name}"`);
    return isFullyBound(seenClaim, names);
  }

  #isProvisioned(written: PersistentVolumeClaim): boolean {
    const { claims, objects, names } = this.context;
    const claim = within('failed to check provisioning pvc', () => claims.seen(keyOf(written)));
    const name = claim.metadata?.name;
    if (isNewer(written, claim)) return false;
    const annotations = claim.metadata?.annotations;
    if (!annotations) throw new Error(`selectedNode annotation reset for PVC "${name}"`);
    // Provisioners take the annotation away when they fail, so that another node is chosen.
    if (annotations[names.selectedNode] !== this.node.name) throw new Error(`provisioning failed for PVC "${name}"`);
    const volumeName = claim.spec?.volumeName ?? '';
    if (volumeName !== '') {
      // The claim may be seen before its volume.
      if (!objects.persistentVolumes.has(volumeName)) return false;
      this.#checkAffinity(volumeName);
    }
    return isFullyBound(claim, names);
  }

  #checkAffinity(name: string): void {
    const { objects, volumes, names } = this.context;
    const problem = affinityProblem(volumes.seen(name), this.node, objects.csiNodes.get(this.node.name), names);
    if (problem !== undefined)
      throw new Error(`pv "${name}" node affinity doesn't match node "${this.node.name}": ${problem}`);
  }
}

/** Calls a task every second until the returned function is called. */
function repeat(clock: Clock, task: () => void): () => void {
  let isStopped = false;
  let stop = clock.after(RECHECK_MS, again);
  function again(): void {
    task();
    if (!isStopped) stop = clock.after(RECHECK_MS, again);
  }
  return () => {
    isStopped = true;
    stop();
  };
}

function within<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
