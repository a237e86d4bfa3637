import type { AuditRecording, EventRecord } from '@orch/audit';
import { StatusError } from '@orch/machinery';
import type { OpenContext } from '../chain/new-context.js';
import { isLongRunning } from '../chain/request-info.js';
import { onAnswer } from './answer-listener.js';
import { type EventSettings, RequestAudit } from './request-audit.js';

type AuditorSettings = EventSettings & Pick<AuditRecording, 'policy' | 'backend' | 'observer'>;

const SWITCHING_PROTOCOLS = 101;

/** Records requests according to an audit policy. */
export class Auditor {
  constructor(private readonly settings: AuditorSettings) {}

  /**
   * Handles a request whose caller is known: from here on each stage of it is recorded, at the latest when its answer
   * is over. A request that another server has recorded before proxying it is not recorded twice.
   * @throws StatusError 500 when a request must not be executed because it cannot be recorded
   */
  received(ctx: OpenContext): Promise<void> | undefined {
    if (ctx.authentication.audited) {
      ctx.audit = null;
      return undefined;
    }
    const audit = this.#judge(ctx, ctx.user);
    ctx.audit = audit;
    if (!audit) return undefined;
    const wait = this.#record(audit.at('RequestReceived'));
    return wait ? this.#begun(ctx, audit, wait) : this.#follow(ctx, audit);
  }

  /** Records a request that was refused before its caller was known. */
  refused(ctx: OpenContext, { status }: StatusError): void {
    if (ctx.audit !== undefined) return;
    const audit = this.#judge(ctx, undefined);
    ctx.audit = null;
    if (!audit) return;
    audit.answeredStatus(status);
    void this.#record(audit.at('ResponseStarted'));
  }

  #judge(ctx: OpenContext, user: OpenContext['user'] | undefined): RequestAudit | null {
    const { policy, observer } = this.settings;
    const config = policy.evaluate(user, ctx.info);
    observer.judged(config.level);
    return config.level === 'None' ? null : new RequestAudit(ctx, user, config, this.settings);
  }

  async #begun(ctx: OpenContext, audit: RequestAudit, wait: Promise<boolean>): Promise<void> {
    if (await wait) return this.#follow(ctx, audit);
    this.settings.observer.rejected();
    ctx.audit = null;
    throw new StatusError('InternalError', 'Internal error occurred: failed to store audit event');
  }

  #follow(ctx: OpenContext, audit: RequestAudit): undefined {
    let isBegun = !isLongRunning(ctx.info);
    const begun = (): void => {
      if (isBegun) return;
      isBegun = true;
      void this.#record(audit.at('ResponseStarted'));
    };
    const over = (): Promise<boolean> | undefined => {
      begun();
      return this.#record(audit.at(audit.lastStage));
    };
    onAnswer(ctx.res, begun, over);
    // Nothing more is sent as HTTP.
    ctx.onEnd.push(() => {
      if (ctx.res.statusCode === SWITCHING_PROTOCOLS) begun();
    });
  }

  #record(event: EventRecord | undefined): Promise<boolean> | undefined {
    if (!event) return undefined;
    this.settings.observer.recorded();
    return this.settings.backend.submit(event);
  }
}
