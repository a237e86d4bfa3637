import { Forger } from '../adversary/forger.js';
import { BELIEVE_BUS } from '../defects.js';
import type { RunSettings } from '../run.js';
import { scrape } from '../stage/scrape.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, tortured } from './scenario.js';

const about = {
  name: 'forged-records',
  fault:
    'somebody on NATS sends forged, altered, replayed, truncated and misdirected records, those of another installation, and versions at the end of bigint',
  pass: 'V1–V4, V6, V7; what is not signed is dropped and counted; no type is loaded anew, no epoch is begun',
};

export const forgedRecords = tortured(about, (settings) => ({ faults: (stage) => forge(stage, settings) }));

/** The negative control: servers believe whatever they hear. */
export const forgedBelieved: Scenario = controlled(
  tortured(
    {
      name: 'forged-believed',
      fault: 'the same with servers that believe all of it: the negative control',
      pass: 'R.stream says so',
    },
    (settings): Pick<RunSettings, 'faults' | 'cluster'> => ({
      cluster: { mutations: BELIEVE_BUS },
      faults: (stage) => forge(stage, settings),
    }),
  ),
  'R.stream',
);

/** Why servers must have refused something: each says that a kind of forgery reached one. */
const REASONS = ['unsigned', 'unknown-key', 'forged', 'misdirected'];
/** Minimum number of forgeries of each kind, even if a busy machine writes little. */
const LEAST = 20;
const LEAST_MS = 60_000;

async function forge(stage: Stage, settings: ScenarioSettings): Promise<void> {
  const epoch = await epochOf(stage);
  const forger = await Forger.open(stage.cluster.natsUrl, stage.random.fork('forger'));
  await rest(scaled(settings, 60_000, 8_000), stage.signal);
  const enough = () => Object.values(forger.sent).every((count) => count >= LEAST);
  if (settings.expected === undefined) await stage.recovers('enough was forged', LEAST_MS, enough);
  await forger.close();
  for (const [forgery, count] of Object.entries(forger.sent)) stage.measure(`sent: ${forgery}`, count);
  // Every server reads the heads once more, so that whatever it has heard of counts.
  await rest(2_000, stage.signal);
  await judgeServers(stage);
  const now = await epochOf(stage);
  stage.must('R.stream', now === epoch, `the epoch was ${epoch} and is ${now}`);
}

async function judgeServers(stage: Stage): Promise<void> {
  const refused = new Map(REASONS.map((reason) => [reason, 0]));
  for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
    const metrics = await scrape(stage, url);
    const resets = metrics.sum('orch_feed_resets_total');
    stage.must('R.stream', resets === 0, `${url} loaded types anew ${resets} times`);
    for (const [reason, before] of refused)
      refused.set(reason, before + metrics.sum('orch_feed_refused_messages_total', `reason="${reason}"`));
  }
  for (const [reason, count] of refused) {
    stage.measure(`refused as ${reason}`, count);
    stage.must('R.answer', count > 0, `nothing was refused as ${reason}: the forgeries reached nobody`);
  }
}

async function epochOf({ postgresUrl }: Stage): Promise<string> {
  const [row] = await sql<{ epoch: string }>(postgresUrl, 'SELECT epoch FROM installation');
  return row?.epoch ?? '';
}
