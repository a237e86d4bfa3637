import type { Mutation } from './stage/mutant.js';

/** The feed neither polls heads nor reads gaps from the database: it goes on with whatever has come. */
export const NO_HEAL: readonly Mutation[] = [
  {
    module: 'libs/feed/dist/follower.js',
    part: 'async poll() {',
    by: 'async poll() { return;',
  },
  {
    module: 'libs/feed/dist/follower.js',
    part: 'void this.#heal();',
    by: 'this.#hand(this.#waiting.takeAll()); this.#target = this.#delivered;',
  },
  {
    module: 'libs/feed/dist/waiting.js',
    part: '    clear() {',
    by: `    takeAll() {
        const all = [...this.#byPrevious.values()].filter((change) => change.bodyOmitted !== true);
        this.clear();
        return all.sort((a, b) => (a.version < b.version ? -1 : 1));
    }
    clear() {`,
  },
];

/** A bookmark overtakes the events gathered for its watcher; they are gathered for whole audiences and for long. */
export const BOOKMARK_BEFORE_FLUSH: readonly Mutation[] = [
  {
    module: 'libs/watchcache/dist/fan-out.js',
    part: `#bookmark(watcher) {
        if (watcher.state.at !== 'live')
            return;
        this.#flush(watcher.state.cohort);`,
    by: `#bookmark(watcher) {
        if (watcher.state.at !== 'live')
            return;`,
  },
  {
    module: 'libs/apiserver/dist/server/change-feed.js',
    part: 'maxGather: backend.watchGather,',
    by: 'maxGather: 250, watchersPerGatherMs: 0.01,',
  },
];

/** What is announced may still fail, and is not there yet. */
export const PUBLISH_BEFORE_COMMIT: readonly Mutation[] = [
  {
    module: 'libs/storage/dist/writer.js',
    part: `const rows = await connection.statement('commit_charged', COMMIT_CHARGED, parameters);
                return readBatchResult(rows, writes, { amounts, accountType, codec: bodies });`,
    by: `await connection.query('BEGIN');
                const rows = await connection.statement('commit_charged', COMMIT_CHARGED, parameters);
                const result = readBatchResult(rows, writes, { amounts, accountType, codec: bodies });
                this.#announce(result.changes);
                await new Promise((resolve) => setTimeout(resolve, 20));
                await connection.query('COMMIT');
                return { ...result, changes: [] };`,
  },
];

/** Who owns which field of an object is lost on the bus: what servers have in memory is not what the database has. */
export const OWNERS_LOST: readonly Mutation[] = [
  { module: 'libs/feed/dist/record.js', part: 'body = codec.join(body, owners);', by: ';' },
];

/** Whatever comes over the bus is believed: a seal is skipped like any field that is not known. */
export const BELIEVE_BUS: readonly Mutation[] = [
  {
    module: 'libs/apiserver/dist/server/change-bus.js',
    part: '        keyring,\n',
    by: '        keyring: { sign: (message) => keyring.sign(message), verify: (message) => message },\n',
  },
];
