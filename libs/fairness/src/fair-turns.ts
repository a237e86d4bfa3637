import { type Classified, type FlowController, ONE_SEAT, QueuedRequest, type WorkEstimate } from '@orch/flowcontrol';
import type { OpenContext, RequestSeat, Turns } from '@orch/serving';
import type { FlowMetrics } from './flow-metrics.js';

interface FairTurnsOptions {
  readonly controller: Pick<FlowController, 'classify' | 'enter'>;
  /** The room that a request takes, of which there is at most `maxSeats`. */
  work(ctx: OpenContext, maxSeats: number): WorkEstimate;
  readonly metrics: FlowMetrics;
}

/** Response headers, in both naming profiles. They carry uids, as names would show clients how they are classified. */
const SCHEMA_HEADER = 'X-Kubernetes-PF-FlowSchema-UID';
const LEVEL_HEADER = 'X-Kubernetes-PF-PriorityLevel-UID';

/** A queued request as debugging pages list it. */
export interface Queued {
  /** Name of the user. */
  readonly user: string;
  /** Attributes of the request. */
  readonly info: OpenContext['info'];
}

/** Schedules requests by priority level, and fairly among the flows of each level (KEP-1040). */
export class FairTurns implements Turns {
  constructor(private readonly options: FairTurnsOptions) {}

  /** Whether the priority level of a request has no queues, and no limit on concurrency. */
  isExempt({ user, info }: OpenContext): boolean {
    return this.options.controller.classify(user, info).level.queues === undefined;
  }

  /**
   * Classifies a request and takes seats at its priority level, waiting in a queue if need be.
   * @returns undefined for a request that is rejected, or was not dispatched in time
   */
  take(ctx: OpenContext): RequestSeat | undefined | Promise<RequestSeat | undefined> {
    const { controller, work, metrics } = this.options;
    const found = controller.classify(ctx.user, ctx.info);
    show(ctx, found);
    const { level, schema } = found;
    const series = metrics.of(level.configuration.name, schema.name);
    const dispatched = () => series.dispatched(ctx.info.verb === 'watch' ? 'watch' : 'regular');
    const estimate = level.queues ? work(ctx, level.maxSeats) : ONE_SEAT;
    if (level.queues) series.estimated(estimate);
    const entry = controller.enter(found, estimate, queued(ctx));
    if (!entry) return turnOf(undefined, dispatched);
    if (!(entry instanceof QueuedRequest)) {
      series.rejected(entry);
      return undefined;
    }
    const seated = entry.seated();
    return seated === true ? turnOf(entry, dispatched) : this.#waitFor(ctx, entry, seated, series, dispatched);
  }

  /**
   * Takes the initial seats again, for a request that gave them back while its client did not read; counts no further
   * request.
   * @returns undefined for a request that is rejected, or was not dispatched in time
   */
  takeAgain(ctx: OpenContext): RequestSeat | undefined | Promise<RequestSeat | undefined> {
    const { controller, work } = this.options;
    const found = controller.classify(ctx.user, ctx.info);
    const { level } = found;
    // The seats that outlast the response were held already, when the request gave its initial seats back.
    const { initialSeats } = level.queues ? work(ctx, level.maxSeats) : ONE_SEAT;
    const entry = controller.enter(found, { ...ONE_SEAT, initialSeats }, queued(ctx));
    if (!entry) return turnOf(undefined, uncounted);
    if (!(entry instanceof QueuedRequest)) return undefined;
    const seated = entry.seated();
    const turn = () => turnOf(entry, uncounted);
    return seated === true
      ? turn()
      : waitFor(ctx, entry, seated).then((end) => (end === 'seated' ? turn() : undefined));
  }

  async #waitFor(
    ctx: OpenContext,
    entry: QueuedRequest,
    seated: Promise<boolean>,
    series: ReturnType<FlowMetrics['of']>,
    dispatched: () => () => void,
  ): Promise<RequestSeat | undefined> {
    const since = performance.now();
    const end = await waitFor(ctx, entry, seated);
    series.waited(end === 'seated', performance.now() - since);
    if (end === 'seated') return turnOf(entry, dispatched);
    series.rejected(end);
    return undefined;
  }
}

const queued = ({ user, info }: OpenContext): Queued => ({ user: user.name, info });

/** Waits for a seat for as long as the client waits for the response. */
async function waitFor({ res }: OpenContext, entry: QueuedRequest, seated: Promise<boolean>) {
  let isGone = false;
  const gone = (): void => {
    isGone = true;
    entry.leave();
  };
  res.once('close', gone);
  const isSeated = await seated;
  res.off('close', gone);
  if (isSeated) return 'seated';
  return isGone ? 'cancelled' : 'time-out';
}

/** Ignores a request that has ended already. */
const uncounted = () => () => undefined;

/** @param dispatched records that execution begins, and returns what records its end */
function turnOf(entry: QueuedRequest | undefined, dispatched: () => () => void): RequestSeat {
  const over = dispatched();
  return {
    isExempt: entry === undefined,
    leave() {
      over();
      entry?.leave();
    },
  };
}

function show({ res }: OpenContext, { schema, level }: Classified): void {
  const { uid } = level.configuration;
  if (schema.uid === '' || uid === '' || res.headersSent) return;
  res.setHeader(LEVEL_HEADER, uid);
  res.setHeader(SCHEMA_HEADER, schema.uid);
}
