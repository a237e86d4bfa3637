import type { ChangeSource, HistoricChange, Row, Snapshot, SnapshotRequest, TypeId, Version } from '@orch/storage';
import { type BodyConversion, convertAll } from './body-conversion.js';

/**
 * A source whose bodies come in one served version. Each page is converted with one call, and none while the database is
 * held: a snapshot is read as a whole before.
 */
export class ConvertedSource implements ChangeSource {
  constructor(
    private readonly source: ChangeSource,
    private readonly conversion: BodyConversion,
  ) {}

  heads: ChangeSource['heads'] = (types) => this.source.heads(types);
  database: ChangeSource['database'] = (type) => this.source.database(type);
  lastVersion: ChangeSource['lastVersion'] = (type) => this.source.lastVersion(type);
  onRewind: ChangeSource['onRewind'] = (listener) => this.source.onRewind(listener);
  noteAnnounced: ChangeSource['noteAnnounced'] = (type, version) => this.source.noteAnnounced(type, version);
  isLost: ChangeSource['isLost'] = (type, version) => this.source.isLost(type, version);

  async changes(type: TypeId, after: Version, limit: number): Promise<readonly HistoricChange[]> {
    const changes = await this.source.changes(type, after, limit);
    const bodies = changes.flatMap((change) => {
      const { prior, priorStoredVersion = '', priorDefaults = 0 } = change;
      return [change, prior && { storedVersion: priorStoredVersion, defaults: priorDefaults, body: prior }];
    });
    const converted = await convertAll(this.conversion, type, bodies);
    const { version, defaults } = this.conversion;
    return changes.map((change, i) => {
      const [body = change.body, prior] = converted.slice(2 * i, 2 * i + 2);
      const before = prior && { prior, priorStoredVersion: version, priorDefaults: defaults };
      return { ...change, storedVersion: version, defaults, body, ...before };
    });
  }

  async snapshot(request: SnapshotRequest): Promise<Snapshot> {
    const snapshot = await this.source.snapshot(request);
    return { ...snapshot, pages: this.#pages(request.type, snapshot.pages) };
  }

  async *#pages(type: TypeId, pages: AsyncIterable<readonly Row[]>): AsyncIterable<readonly Row[]> {
    const read: (readonly Row[])[] = [];
    for await (const page of pages) read.push(page);
    for (const page of read) {
      const converted = await convertAll(this.conversion, type, page);
      const { version: storedVersion, defaults } = this.conversion;
      yield page.map((row, i) => ({ ...row, storedVersion, defaults, body: converted[i] ?? row.body }));
    }
  }
}
