import type { ServerResponse } from 'node:http';
import { sleep } from '@orch/runtime';
import { type AnswerSeat, cutOff, http2StreamOf, isGone } from '../http/context.js';
import { hasBody, isBodyHere } from '../http/read-body.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { FlowControl } from './flow-settings.js';
import type { OpenContext } from './new-context.js';
import type { SeatedRequest } from './slow-clients.js';
import { kindOf, type RequestSeat } from './turns.js';

/** Milliseconds after which a request in the middle of its response, which has found no seat, tries again. */
const AGAIN_MS = 1_000;

/**
 * The seat of one request. After it was given back because the client was slow, the request has a seat only while it is
 * worked on: it takes another one after each wait.
 */
export class Seat implements SeatedRequest, AnswerSeat {
  /** Ends the current turn; undefined if there is none. */
  #end: (() => void) | undefined;
  #isShared = false;

  constructor(
    private readonly ctx: OpenContext,
    private readonly flow: Pick<FlowControl, 'turns' | 'slowClients' | 'bodyUse'>,
    private readonly metrics: RequestMetrics,
    turn: RequestSeat,
  ) {
    this.#begin(turn);
  }

  get user(): string {
    return this.ctx.user.name;
  }

  /** Ends the current turn, if there is one. */
  leave(): void {
    this.#end?.();
    this.#end = undefined;
  }

  giveBack(): void {
    this.#isShared = true;
    this.leave();
  }

  rest(): void {
    if (this.#isShared) this.leave();
  }

  workOn(): Promise<void> | undefined {
    return this.#isShared && !this.#end ? this.#again() : undefined;
  }

  cut(): void {
    this.metrics.refused('unread-answers');
    cutOff(this.ctx);
  }

  /**
   * Bytes that are held while the request waits only for its client: to read the answer, or to send a body that is
   * proxied.
   */
  waiting(): number | undefined {
    const { ctx } = this;
    if (isGone(ctx)) return undefined;
    const out: Pick<ServerResponse, 'writableEnded' | 'writableNeedDrain' | 'writableLength'> =
      http2StreamOf(ctx) ?? ctx.res;
    // The response of a request that has timed out may be sent before the work on it has ended.
    if (out.writableEnded ? !ctx.isGivenUp : out.writableNeedDrain) return out.writableLength;
    return this.#waitsForBody() ? 0 : undefined;
  }

  /**
   * Whether more of a body would be proxied if it arrived: reading is paused while the other server accepts no more.
   */
  #waitsForBody(): boolean {
    const { ctx, flow } = this;
    const { readableFlowing } = ctx.req;
    return hasBody(ctx) && !isBodyHere(ctx) && readableFlowing === true && flow.bodyUse(ctx.info) === 'passed-on';
  }

  /**
   * Takes a seat again for a request whose response has begun. It can no longer be refused, so it retries until it has
   * a seat or is over.
   */
  async #again(): Promise<void> {
    const { ctx, flow } = this;
    while (!isGone(ctx)) {
      const turn = await flow.turns.takeAgain(ctx);
      if (turn) return this.#begin(turn);
      await sleep(flow.slowClients.clock, AGAIN_MS);
    }
  }

  /** Counts the request as being executed, until its turn ends. */
  #begin(turn: RequestSeat): void {
    const { ctx, metrics } = this;
    const inflight = ctx.info.verb === 'watch' ? undefined : metrics.enter(kindOf(ctx), performance.now());
    this.#end = () => {
      turn.leave();
      inflight?.leave();
    };
  }
}
