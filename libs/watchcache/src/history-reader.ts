import type { ChangeSource, HistoricChange, TypeId, Version } from '@orch/storage';

/** Changes read at a time. */
const PAGE = 256;

/** Reads pages of history for watchers that resume behind the ring: those who come back together share their queries. */
export class HistoryReader {
  readonly #underWay = new Map<Version, Promise<readonly HistoricChange[]>>();

  constructor(
    private readonly source: ChangeSource,
    private readonly type: TypeId,
  ) {}

  /**
   * The changes after a version, as many as fit on a page.
   * @throws HistoryExpiredError
   * @throws StoreUnavailableError
   */
  page(after: Version): Promise<readonly HistoricChange[]> {
    const underWay = this.#underWay.get(after);
    if (underWay !== undefined) return underWay;
    const page = this.source.changes(this.type, after, PAGE).finally(() => this.#underWay.delete(after));
    this.#underWay.set(after, page);
    return page;
  }
}
