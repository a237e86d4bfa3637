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
    module: 'libs/watchcache/dist/fan-out/fan-out.js',
    part: `#bookmark(watcher) {
        if (watcher.state.at === 'live')
            this.#flush(watcher.state.cohort);`,
    by: '#bookmark(watcher) {',
  },
  {
    module: 'libs/apiserver/dist/server/change-feed.js',
    part: 'maxGather: backend.watchGather,',
    by: 'maxGather: 250, watchersPerGatherMs: 0.01,',
  },
];

/** Changes are announced before they are committed, so that they may still fail. */
export const PUBLISH_BEFORE_COMMIT: readonly Mutation[] = [
  {
    module: 'libs/storage/dist/writes/writer.js',
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

/** Field owners are lost on the bus, so that the memory of servers differs from the database. */
export const OWNERS_LOST: readonly Mutation[] = [
  { module: 'libs/feed/dist/record.js', part: 'codec.join(stored, owners)', by: 'stored' },
];

/** Whatever comes over the bus is believed: a seal is skipped like any field that is not known. */
export const BELIEVE_BUS: readonly Mutation[] = [
  {
    module: 'libs/apiserver/dist/server/change-bus.js',
    part: '        keyring,\n',
    by: '        keyring: { sign: (message) => keyring.sign(message), verify: (message) => message },\n',
  },
];

/** Quota is charged in a transaction of its own before the write, so that a crash in between leaks the charge. */
export const CHARGED_APART: readonly Mutation[] = [
  {
    module: 'libs/storage/dist/writes/writer.js',
    part: 'const writes = units.map(({ ops }) => ops);',
    by: `let writes = units.map(({ ops }) => ops);
        if (writes.some((ops) => ops.some(({ charging }) => charging?.charges?.length > 0))) {
            const nothing = (op) => ({ ...op, op: 'delete', version: 'previous' });
            const apart = writes.map((ops) => ops.map(nothing));
            const codec = this.options.bodies;
            const { parameters, amounts } = batchParameters(apart, null, this, codec);
            const rows = await connection.statement('commit_charged', COMMIT_CHARGED, parameters);
            const { units: charged } = readBatchResult(rows, apart, { amounts, accountType: this.accountType, codec });
            const refused = (outcomes) => outcomes.some((each) => each?.outcome === 'exceeded' || each?.outcome === 'accounts-changed');
            writes = writes.map((ops, i) => refused(charged[i]) ? ops : ops.map(({ charging, ...op }) => op));
        }`,
  },
];

/** Quotas do not hear of deletions. */
export const KEEP_CHARGES: readonly Mutation[] = [
  {
    module: 'libs/writing/dist/charges/quota-charges.js',
    part: 'const changed = [...difference(terms, evaluator, before, after)];',
    by: 'const changed = after === undefined ? [] : [...difference(terms, evaluator, before, after)];',
  },
];

/** A budget is charged in a transaction of its own before the pod is removed. */
export const EVICTED_APART: readonly Mutation[] = [
  {
    module: 'libs/handlers/dist/subresources/eviction.js',
    part: 'return [removal, payment(budget, name, options.dryRun, caller.deadline)];',
    by: `const paying = async () => [payment(await budgetOf(deps, pod), name, options.dryRun, caller.deadline)];
        if (!(await deps.sets.write(paying, caller.deadline))) throw timeout('the budget is written by others', RETRY_SECONDS);
        return [removal];`,
  },
];
