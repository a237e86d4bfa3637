import type { ChangeSource, PriorDetail, Row, Snapshot, SnapshotRequest, TypeId, Version } from '@orch/storage';
import {
  type BodyConversion,
  type ConvertedHistory,
  convertAll,
  type ServedRow,
  type StoredBody,
  servedBy,
} from './body-conversion.js';

/** A source in which some objects may lack their converted version. */
export interface ServedSource extends ChangeSource {
  changes(type: TypeId, after: Version, limit: number, prior?: PriorDetail): Promise<readonly ConvertedHistory[]>;
  snapshot(request: SnapshotRequest): Promise<Snapshot & { readonly pages: AsyncIterable<readonly ServedRow[]> }>;
}

/**
 * A source whose bodies are in a served version. Each page is converted with one call, and never while a snapshot is
 * open in the database: it is read completely before.
 */
export class ConvertedSource implements ServedSource {
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

  async changes(
    type: TypeId,
    after: Version,
    limit: number,
    detail?: PriorDetail,
  ): Promise<readonly ConvertedHistory[]> {
    const changes = await this.source.changes(type, after, limit, detail);
    const bodies = new Map<Buffer, StoredBody>();
    for (const change of changes) {
      const { prior, priorStoredVersion = '', priorDefaults = 0 } = change;
      if (prior) bodies.set(prior, { storedVersion: priorStoredVersion, defaults: priorDefaults, body: prior });
      bodies.set(change.body, change);
    }
    const converted = await convertAll(this.conversion, type, [...bodies.values()]);
    const made = new Map([...bodies.keys()].map((body, i) => [body, converted[i]]));
    const { version, defaults } = this.conversion;
    return changes.map((change) => {
      const served = servedBy(this.conversion, change, made.get(change.body));
      const prior = change.prior && made.get(change.prior);
      if (prior === undefined) return served;
      if (prior instanceof Error) return { ...served, priorFailure: prior };
      return { ...served, prior, priorStoredVersion: version, priorDefaults: defaults };
    });
  }

  async snapshot(request: SnapshotRequest): ReturnType<ServedSource['snapshot']> {
    const snapshot = await this.source.snapshot(request);
    return { ...snapshot, pages: this.#pages(request.type, snapshot.pages) };
  }

  async *#pages(type: TypeId, pages: AsyncIterable<readonly Row[]>): AsyncIterable<readonly ServedRow[]> {
    const read: (readonly Row[])[] = [];
    for await (const page of pages) read.push(page);
    for (const page of read) {
      const converted = await convertAll(this.conversion, type, page);
      yield page.map((row, i) => servedBy(this.conversion, row, converted[i]));
    }
  }
}
