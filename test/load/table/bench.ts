import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import type { RequestWorker } from '../requests.js';
import type { RequestResult } from '../requests.worker.js';
import { type Sample, samplePath, samplePrefix, sampleTitle } from '../samples.js';
import type { StageSettings } from '../settings.js';
import { requestMeasurements } from '../stages/requests.js';
import type { Side } from './sides.js';

export type TableSettings = Omit<StageSettings, 'target'>;

/** Rows that are measured together, by one side after the other. */
export interface RowGroup {
  readonly name: string;
  /** Whether its first round, which lets servers compile what they run, is not counted. */
  readonly isWarm: boolean;
  /** Whether it is measured once; in every round otherwise. */
  readonly isOnce?: boolean;
  /** Makes what the rows are of. */
  prepare?(side: Side): Promise<void>;
  /** Measures the rows; none where the side does not have them. */
  measure(side: Side): Promise<readonly Measurement[]>;
}

type SampleLoad = Pick<RequestLoad, 'verb' | 'requesters' | 'objects'> &
  Partial<Pick<RequestLoad, 'count' | 'seconds'>>;

/** Seconds that a load may take which ends after a count. */
const COUNTED_SECONDS = 900;
/** Requesters that make and remove what is not measured. */
const HELPERS = 16;

/** What all groups of rows share: the client, names that do not repeat, and sizes of answers for the floor. */
export class TableBench {
  readonly #answers = new Map<string, number>();
  #clientCpu = 0;
  #requests = 0;
  #tags = 0;

  constructor(
    readonly settings: TableSettings,
    readonly worker: RequestWorker,
  ) {}

  /** CPU time of the client for a request of many requesters, in microseconds. */
  get clientCpu(): number {
    return this.#clientCpu / this.#requests;
  }

  /** Returns a number of objects by the scale of the run. */
  scaled(count: number, least = 64): number {
    return Math.max(least, Math.round(count * this.settings.scale));
  }

  /** Returns a prefix of names that no other objects of the run have. */
  prefix(): string {
    return samplePrefix(`${this.settings.run.slice(-5)}${(this.#tags++).toString(36).padStart(4, '0')}`);
  }

  /** Measures requests, all of which must succeed. @param title names the row; its answers set the size of the floor's */
  async measure(side: Side, title: string, sample: Sample, prefix: string, load: SampleLoad) {
    await side.floor?.shape({ answer: this.#answers.get(title) ?? 0 });
    const result = await this.#run(side, sample, prefix, load);
    if (!side.floor) this.#answers.set(title, this.#answers.get(title) ?? Math.round(result.answerBytes));
    if (load.requesters > 1) {
      this.#clientCpu += result.clientCpu;
      this.#requests += result.done;
    }
    return { done: result.done, rows: requestMeasurements(title, result, result.serverCpu) };
  }

  /** Creates objects that are not measured. */
  async create(side: Side, sample: Sample, prefix: string, count: number): Promise<void> {
    await side.floor?.shape({ answer: this.#answers.get(`create ${sampleTitle(sample)}`) ?? 0 });
    await this.#all(side, sample, prefix, { verb: 'create', requesters: HELPERS, objects: 1, count });
  }

  /** Deletes objects, which is not measured. */
  async remove(side: Side, sample: Sample, prefix: string, count: number): Promise<void> {
    await this.#all(side, sample, prefix, { verb: 'delete', requesters: HELPERS, objects: 1, count });
  }

  async #all(side: Side, sample: Sample, prefix: string, load: SampleLoad & { readonly count: number }): Promise<void> {
    const { failed, done } = await this.#run(side, sample, prefix, load);
    if (failed > 0 || done < load.count)
      throw new Error(`${load.verb} of ${sample.kind}s: ${done} of ${load.count}, ${failed} failed`);
  }

  #run(side: Side, sample: Sample, prefix: string, load: SampleLoad): Promise<RequestResult> {
    const { endpoint, processes } = side.target;
    return this.worker.call('run', {
      ...{ endpoint, sample, prefix, serverPids: processes.roots },
      resource: { apiVersion: '', kind: sample.kind, path: samplePath(sample.kind) },
      seconds: load.count === undefined ? this.settings.seconds : COUNTED_SECONDS,
      ...load,
    });
  }
}
