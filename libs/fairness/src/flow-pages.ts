import type { FairQueue, FlowController, PriorityLevelState, QueuedRequest } from '@orch/flowcontrol';
import type { Queued } from './fair-turns.js';

/** Pages by path; each renders text for a query. */
export type FlowPages = ReadonlyMap<string, (query: URLSearchParams) => string>;

const ROOT = '/debug/api_priority_and_fairness';
const NONE = '<none>';

/** Renders tables of running and queued requests, for people, under the paths of the reference. */
export function flowPages({ levels }: { readonly levels: FlowController['levels'] }): FlowPages {
  const sorted = () => [...levels.values()].sort((a, b) => (a.configuration.name < b.configuration.name ? -1 : 1));
  return new Map([
    [`${ROOT}/dump_priority_levels`, () => table(LEVEL_COLUMNS, sorted().map(levelRow))],
    [`${ROOT}/dump_queues`, () => table(QUEUE_COLUMNS, sorted().flatMap(queueRows))],
    [`${ROOT}/dump_requests`, (query: URLSearchParams) => requestPage(sorted(), query.has('includeRequestDetails'))],
  ]);
}

const LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];
const QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];
const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
];
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

type Row = readonly (string | number | boolean)[];

/** Columns of equal width, with commas, as the reference prints them. */
function table(columns: readonly string[], rows: readonly Row[]): string {
  const cells = [columns, ...rows].map((row) => row.map((cell, at) => `${cell}${at < row.length - 1 ? ',' : ''}`));
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  return cells.map((row) => `${row.map((cell, at) => cell.padEnd((widths[at] ?? 0) + 1)).join('')}\n`).join('');
}

function levelRow({ configuration: { name }, queues, isEnding }: PriorityLevelState): Row {
  if (!queues) return [name, ...new Array<string>(LEVEL_COLUMNS.length - 1).fill(NONE)];
  const { counts } = queues;
  const active = queues.queues.filter(({ length }) => length > 0).length;
  const now = [queues.waiting, queues.executing];
  return [
    name,
    active,
    queues.isIdle,
    isEnding,
    ...now,
    counts.dispatched,
    counts.rejected,
    counts.timedOut,
    counts.cancelled,
  ];
}

/** Seat-seconds, as the reference shows work. */
const shownWork = (seatMs: number): string => `${(seatMs / 1000).toFixed(8)}ss`;

function queueRows({ configuration: { name }, queues }: PriorityLevelState): Row[] {
  if (!queues) return [[name, ...new Array<string>(QUEUE_COLUMNS.length - 1).fill(NONE)]];
  return queues.queues.map((queue) => {
    const sum = (of: (entry: QueuedRequest) => number) => queue.waiting.reduce((total, entry) => total + of(entry), 0);
    const initial = sum(({ from }) => from.estimate.initialSeats);
    const held = [queue.length, queue.executing, queue.seatsInUse, shownWork(queue.nextStart)];
    return [name, queue.index, ...held, initial, sum(({ seats }) => seats), shownWork(queue.waitingWork)];
  });
}

function requestPage(levels: readonly PriorityLevelState[], isDetailed: boolean): string {
  const columns = isDetailed ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS;
  const rows = levels.flatMap(({ configuration: { name }, queues }) =>
    (queues?.queues ?? []).flatMap((queue) =>
      queue.waiting.map((entry, at) => requestRow(name, queue, entry, at, isDetailed)),
    ),
  );
  return table(columns, rows);
}

function requestRow(level: string, queue: FairQueue, entry: QueuedRequest, at: number, isDetailed: boolean): Row {
  const { schema, flow, estimate, about } = entry.from;
  const arrived = new Date(Date.now() - (performance.now() - entry.arrivedAt)).toISOString();
  const work = [estimate.initialSeats, estimate.finalSeats, `${estimate.additionalMs}ms`];
  const row = [level, schema, queue.index, at, flow, arrived, ...work];
  if (!isDetailed) return row;
  const { user, info } = about as Queued;
  const version = info.group === '' ? info.version : `${info.group}/${info.version}`;
  return [...row, user, info.verb, info.path, info.namespace, info.name, version, info.resource, info.subresource];
}
