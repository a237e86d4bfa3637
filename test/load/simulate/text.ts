import { align, format } from '../report.js';
import type { Comparison } from './check.js';
import type { Calibration } from './costs.js';
import type { Plan, Range } from './fleet.js';

const KIB = 1024;
const MIB = KIB * 1024;

/** Formats the costs that the simulation uses. */
export function costsTable({ machine, costs }: Calibration): string {
  const { write, event, change, eventBytes, arrival, memory, poll, request, hand } = costs;
  const rows = [
    ['a write to one socket', write, 'µs'],
    ['each event in it', event, 'µs'],
    ['a change in each gateway', change, 'µs'],
    ['bytes of an event', eventBytes, ''],
    ['request to gateway, p50', arrival.p50, 'ms'],
    ['request to gateway, p99', arrival.p99, 'ms'],
    ['memory of a gateway', memory.gateway / MIB, 'MiB'],
    ['memory of a watcher', memory.watcher / KIB, 'KiB'],
    ['PostgreSQL a second for each server', poll, 'µs'],
    ['PostgreSQL a write', request.postgres, 'µs'],
    ['api-server a write', request.apiServer, 'µs'],
    ['NATS a change and server', hand, 'µs'],
  ] as const;
  const lines = rows.map(([name, value, unit]) => [name, format(value), unit]);
  return `Costs, measured over TLS on ${machine}\n${align(lines)}`;
}

/** How far the model is from what was measured and not fitted. */
export function checkTable(compared: readonly Comparison[]): string {
  const header = ['predicted : measured', 'stretch', 'CPU [µs/event]', '', '', 'p50 [ms]', '', '', 'p99 [ms]', '', ''];
  const ratio = (predicted: number, measured: number) => [
    format(predicted),
    format(measured),
    `${(predicted / measured).toFixed(2)}×`,
  ];
  const rows = compared.map(({ point, predicted }) => [
    `${point.watchers} watchers, ${point.rate.toFixed(0)} writes/s`,
    `${point.stretch.toFixed(2)}×`,
    ...ratio(predicted.perEvent, point.perEvent),
    ...ratio(predicted.p50, point.p50),
    ...ratio(predicted.p99, point.p99),
  ]);
  return align([header, ...rows]);
}

/** Numbers of gateways beside one another. */
export function planTable(plans: readonly Plan[]): string {
  const header = [
    'gateways',
    'hosts',
    'watchers',
    'core',
    'events a write',
    'p50 [ms]',
    'p99 [ms]',
    'host GiB',
    'host Gbit/s',
    'PostgreSQL cores',
    'NATS cores',
    'NATS Gbit/s',
    'over',
  ];
  const rows = plans.map((plan) => [
    String(plan.gateways),
    String(plan.hosts),
    String(plan.watchersEach),
    `${(100 * plan.gateway.utilisation).toFixed(0)} %`,
    format(plan.gateway.gathered),
    format(plan.gateway.p50),
    format(plan.gateway.p99),
    format(plan.memoryGib),
    format(plan.networkGbit),
    format(plan.postgresCores),
    format(plan.natsCores),
    format(plan.natsGbit),
    plan.over.join(', ') || '-',
  ]);
  return align([header, ...rows]);
}

/** Formats the ranges in which the limits are kept. */
export function rangesText(ranges: readonly Range[]): string {
  const text = ({ limit, from, to }: Range) => {
    if (from === undefined) return `${limit}: never`;
    if (to !== undefined) return `${limit}: up to ${to} gateways`;
    return from === 1 ? `${limit}: always` : `${limit}: from ${from} gateways`;
  };
  return `kept: ${ranges.map(text).join('; ')}`;
}
