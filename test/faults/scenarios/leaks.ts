import { Crowd } from '../stage/crowd.js';
import type { Stage } from '../stage/stage.js';
import { usageOf } from '../stage/usage.js';
import { rest } from '../traffic/context.js';
import { checkLeaks } from '../validators/leaks.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 100;
/** Rounds before the first look: caches are filled and code is compiled. */
const WARM_UP = 2;

type Round = (stage: Stage, crowd: Crowd, watchers: number) => Promise<void>;

const about = {
  name: 'leaks',
  fault: 'watchers come and go in crowds while objects are made, changed, listed and deleted',
  pass: 'V8: memory and open handles are back where they were',
};

export const leaks = leaking(about, round);

function leaking(what: Omit<Scenario, 'run'>, load: Round): Scenario {
  return staged(
    what,
    { serverArgs: ['--history-retention=1s', '--watch-bookmark-interval=1s'] },
    async (stage, settings: ScenarioSettings) => {
      const crowd = new Crowd(stage);
      const watchers = scaled(settings, 400, 100);
      for (let i = 0; i < WARM_UP; i++) await load(stage, crowd, watchers);
      await rest(4_000, stage.signal);
      const before = await usageOf(stage);
      for (let i = 0; i < scaled(settings, 20, 4); i++) await load(stage, crowd, watchers);
      await rest(4_000, stage.signal);
      const after = await usageOf(stage);
      for (const { process, handles, heapBytes } of after) {
        const then = before.find((usage) => usage.process === process);
        stage.measure(`${process}: further handles`, handles - (then?.handles ?? 0));
        stage.measure(`${process}: further MiB`, (heapBytes - (then?.heapBytes ?? 0)) / (1 << 20));
      }
      for (const { rule, message } of checkLeaks(before, after)) stage.report(rule, message);
      crowd.close();
    },
  );
}

async function round(stage: Stage, crowd: Crowd, watchers: number): Promise<void> {
  const members = await crowd.gather(watchers, `${PATH}?watch=1&resourceVersion=0&allowWatchBookmarks=true`);
  await churn(stage);
  for (const member of members) member.close();
}

async function churn(stage: Stage): Promise<void> {
  const each = async (act: (name: string) => Promise<{ readonly status: number }>) => {
    for (let i = 0; i < OBJECTS; i += 10) {
      const names = Array.from({ length: 10 }, (_, j) => `leak-${i + j}`);
      for (const { status } of await Promise.all(names.map(act))) {
        stage.must('R.answer', status < 300, `answered with ${status}`);
      }
    }
  };
  const padding = 'x'.repeat(4_096);
  await each((name) => stage.api().post(PATH, { metadata: { name }, data: { padding } }));
  await each((name) => stage.api().patch(`${PATH}/${name}`, 'merge', { data: { name } }));
  for (let i = 0; i < 10; i++) await stage.api().get(PATH);
  await each((name) => stage.api().delete(`${PATH}/${name}`));
}

/** The negative control: watchers stay, as if the servers had forgotten to close them. */
export const leaksKept = controlled(
  leaking(
    { name: 'leaks-kept', fault: 'the same with watchers that never go: the negative control', pass: 'V8 says so' },
    async (stage, crowd, watchers) => {
      await crowd.gather(Math.ceil(watchers / 4), `${PATH}?watch=1&resourceVersion=0`);
      await churn(stage);
    },
  ),
  'V8.handles',
);
