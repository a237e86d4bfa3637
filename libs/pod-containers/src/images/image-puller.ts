import type { RegistryAuth, Runtime, SandboxConfig, StoredImage } from '@orch/container-runtime';
import {
  type ContainerKind,
  containerPath,
  type EventSink,
  type EventType,
  type PodContainer,
  uidOf,
} from '@orch/pod-environment';
import { aborted, type Clock, sleep } from '@orch/runtime';
import { TokenBucket, TurnsByKey } from '@orch/runtime/work';
import type { Pod, Secret } from '@orch/schema/types/core/v1';
import { Backoffs } from '../containers/backoffs.js';
import { messageOf, StartError } from '../containers/start-error.js';
import { credentialsFor } from './credentials.js';
import { ImageNameError, withTag } from './image-names.js';

/** Settings of an {@link ImagePuller}. */
export interface ImagePullerSettings {
  /** Runtime that has the images. */
  readonly runtime: Pick<Runtime, 'imageStatus' | 'pullImage'>;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of waits and durations. */
  readonly clock: Clock;
  /** Whether images are pulled one at a time. */
  readonly serial: boolean;
  /** Pulls per second; 0 for no limit. */
  readonly qps: number;
  /** Pulls that may begin at once. */
  readonly burst: number;
}

/** An image that a container needs. */
interface ImageRequest {
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: PodContainer;
  /** List of the spec that the container is in. */
  readonly kind: ContainerKind;
  /** Secrets with credentials of registries. */
  readonly secrets: readonly Secret[];
  /** Aborts when the pod is to end. */
  readonly signal: AbortSignal;
  /** Sandbox of the pod. */
  readonly sandbox: SandboxConfig;
}

type Report = (type: EventType, reason: string, message: string) => void;

/** Brings images onto the node as the pull policies of containers say. */
export class ImagePuller {
  readonly #backoffs: Backoffs;
  readonly #turns = new TurnsByKey();
  readonly #rate: TokenBucket | undefined;
  #pulls = 0;

  constructor(private readonly settings: ImagePullerSettings) {
    const { clock, qps, burst } = settings;
    this.#backoffs = new Backoffs(clock);
    if (qps > 0) this.#rate = new TokenBucket(qps, Math.max(1, burst), () => clock.now());
  }

  /** Returns the image of a container, pulled if need be. @throws StartError */
  async ensure(request: ImageRequest): Promise<StoredImage> {
    const { pod, container, kind } = request;
    const path = containerPath(kind, container.name ?? '');
    const report: Report = (type, reason, message) => this.settings.events.ofPod(pod, type, reason, message, path);
    const image = taggedImage(container.image ?? '', report);
    const policy = container.imagePullPolicy ?? (image.endsWith(':latest') ? 'Always' : 'IfNotPresent');
    const present = await this.#present(image, report);
    if (present && policy !== 'Always') {
      report('Normal', 'Pulled', `Container image "${container.image}" already present on machine`);
      return present;
    }
    if (policy === 'Never') {
      const message = `Container image "${container.image}" is not present with pull policy of Never`;
      report('Warning', 'ErrImageNeverPull', message);
      throw new StartError('ErrImageNeverPull', message);
    }
    return this.#pull(image, request, report);
  }

  async #present(image: string, report: Report): Promise<StoredImage | undefined> {
    try {
      return await this.settings.runtime.imageStatus(image);
    } catch (error) {
      const message = `Failed to inspect image "${image}": ${messageOf(error)}`;
      report('Warning', 'InspectFailed', message);
      throw new StartError('ImageInspectError', message);
    }
  }

  async #pull(image: string, request: ImageRequest, report: Report): Promise<StoredImage> {
    const { clock, serial } = this.settings;
    const name = request.container.image ?? '';
    const key = `${uidOf(request.pod)} ${name}`;
    if (this.#backoffs.waiting(key) !== undefined) {
      const message = `Back-off pulling image "${name}"`;
      report('Normal', 'BackOff', message);
      throw new StartError('ImagePullBackOff', message, this.#backoffs.left(key));
    }
    report('Normal', 'Pulling', `Pulling image "${name}"`);
    const requestedAt = clock.now();
    try {
      const pull = this.#turns.take(serial ? '' : String(this.#pulls++), () => this.#pullNow(image, request));
      const { stored, ms } = await unlessAborted(pull, request.signal);
      const waited = clock.now() - requestedAt;
      const durations = `${seconds(ms)} (${seconds(waited)} including waiting)`;
      report('Normal', 'Pulled', `Successfully pulled image "${name}" in ${durations}`);
      return stored;
    } catch (error) {
      if (request.signal.aborted) throw error;
      this.#backoffs.next(key);
      const message = messageOf(error);
      report(
        'Warning',
        'Failed',
        `Failed to pull image "${name}": ${error instanceof Error ? error.message : message}`,
      );
      throw new StartError('ErrImagePull', message, this.#backoffs.left(key));
    }
  }

  async #pullNow(image: string, request: ImageRequest): Promise<{ stored: StoredImage; ms: number }> {
    const { clock, runtime } = this.settings;
    request.signal.throwIfAborted();
    const wait = this.#rate?.reserve() ?? 0;
    if (wait > 0) await sleep(clock, wait);
    const began = clock.now();
    const pulled = await this.#pullWithAny(image, credentialsFor(image, request.secrets), request);
    const stored = (await runtime.imageStatus(pulled)) ?? (await runtime.imageStatus(image));
    if (!stored) throw new Error(`image "${image}" is not present after it was pulled`);
    return { stored, ms: clock.now() - began };
  }

  /** Tries all credentials that fit, or none where there are none. */
  async #pullWithAny(image: string, all: readonly RegistryAuth[], { sandbox, signal }: ImageRequest): Promise<string> {
    const { runtime } = this.settings;
    let failure: unknown;
    for (const auth of all.length > 0 ? all : [undefined]) {
      try {
        return await runtime.pullImage({ image, sandbox, signal, ...(auth && { auth }) });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

/** Does not wait for work any more that nobody needs. @throws the reason of the signal */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const finished = new AbortController();
  try {
    return await Promise.race([
      work,
      aborted(signal, finished.signal).then((): never => {
        throw signal.reason;
      }),
    ]);
  } finally {
    finished.abort();
    // It may fail when nobody waits for it any more.
    work.catch(() => undefined);
  }
}

function taggedImage(image: string, report: Report): string {
  try {
    return withTag(image);
  } catch (error) {
    if (!(error instanceof ImageNameError)) throw error;
    report('Warning', 'InspectFailed', error.message);
    throw new StartError('InvalidImageName', error.message);
  }
}

/** Writes a duration as the reference does: `1.5s`, `850ms`. */
const seconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)}ms` : `${Number((ms / 1000).toFixed(3))}s`);
