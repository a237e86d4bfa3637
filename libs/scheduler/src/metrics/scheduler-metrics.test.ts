import { Metrics } from '@orch/runtime';
import { afterEach, expect, it } from 'vitest';
import type { Scheduler } from '../cycle/scheduler.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import { schedulerMetrics } from './scheduler-metrics.js';

let scheduler: Scheduler | undefined;
afterEach(() => scheduler?.stop());

/** Counts and gauges after a scheduler has done its work; sums of seconds are left out. */
async function samples(cluster: FakeCluster): Promise<string[]> {
  const metrics = new Metrics();
  const observer = schedulerMetrics(metrics, () => scheduler);
  scheduler = runScheduler(cluster, { observer });
  await settled(scheduler);
  const { body } = await metrics.text();
  return body.split('\n').filter((line) => line.startsWith('scheduler_') && !/_bucket|_sum|plugin_exec/.test(line));
}

it('has the metrics of the reference', async () => {
  const cluster = new FakeCluster();
  cluster.node('a');
  cluster.node('b');
  cluster.pod('small', { requests: { cpu: '1' } });
  cluster.pod('large', { requests: { cpu: '9' } });
  const profile = 'profile="default-scheduler"';
  expect(await samples(cluster)).toEqual(
    expect.arrayContaining([
      `scheduler_schedule_attempts_total{result="scheduled",${profile}} 1`,
      `scheduler_schedule_attempts_total{result="unschedulable",${profile}} 1`,
      `scheduler_scheduling_attempt_duration_seconds_count{result="scheduled",${profile}} 1`,
      'scheduler_scheduling_algorithm_duration_seconds_count 2',
      'scheduler_pod_scheduling_attempts_count 1',
      'scheduler_pod_scheduling_duration_seconds_count{attempts="1"} 1',
      'scheduler_queue_incoming_pods_total{queue="active",event="PodAdd"} 2',
      'scheduler_preemption_attempts_total 1',
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="PreFilter",status="Success",${profile}} 2`,
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",status="Success",${profile}} 1`,
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",status="Unschedulable",${profile}} 1`,
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",status="Unschedulable",${profile}} 1`,
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="Score",status="Success",${profile}} 1`,
      `scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",status="Success",${profile}} 1`,
      `scheduler_plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="PreFilter",${profile}} 2`,
      // Both nodes for each pod: preemption tries none, as no pod is in the way of the large one.
      `scheduler_plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="Filter",${profile}} 4`,
      'scheduler_goroutines{operation="binding"} 0',
      'scheduler_pending_pods{queue="unschedulable"} 1',
      'scheduler_scheduler_cache_size{type="nodes"} 2',
      `scheduler_unschedulable_pods{plugin="NodeResourcesFit",${profile}} 1`,
    ]),
  );
});
