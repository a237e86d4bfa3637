/** State of a probed container: `unknown` before its startup probe has come to a result. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Results of one type of probes, by the id of the container. */
export class ProbeResults {
  readonly #results = new Map<string, ProbeResult>();

  /** @param onChange called with the uid of the pod when a result differs from the one before */
  constructor(private readonly onChange: (podUid: string) => void) {}

  /** Returns the result of a container; undefined if it has not been probed. */
  get(containerId: string): ProbeResult | undefined {
    return this.#results.get(containerId);
  }

  /** Notes a result. */
  set(containerId: string, result: ProbeResult, podUid: string): void {
    if (this.#results.get(containerId) === result) return;
    this.#results.set(containerId, result);
    this.onChange(podUid);
  }

  /** Forgets a container that is gone. */
  remove(containerId: string): void {
    this.#results.delete(containerId);
  }
}
