import { Api } from '../../support/api.js';
import type { Stage } from '../stage/stage.js';
import { type ConsentOutcome, checkConsent } from '../validators/consent.js';
import { HotWriters } from './hot-writers.js';
import type { Mood, MoodyWebhook, Side } from './moody-webhook.js';
import { HOT } from './objects.js';
import { writeOrdinary } from './ordinary.js';

export interface MoodSettings {
  /** Half of them for what fails closed, half for what fails open. */
  readonly writers: number;
  /** How many of them a mood has to come to that leaves calls unanswered; others to fewer. */
  readonly writes: number;
  /** How many moods, those in front that leave calls unanswered. */
  readonly moods: number;
}

type Bad = Exclude<Mood, 'answers'>;
/** Outcomes of writes whose webhook fails closed (strict) and open (lenient). */
type Outcomes = Readonly<Record<'strict' | 'lenient', ConsentOutcome['at']>>;

const FAILED: Outcomes = { strict: 'unasked', lenient: 'committed' };
const MOODS: Readonly<Record<Bad, Outcomes>> = {
  'is slow': { strict: 'committed', lenient: 'committed' },
  refuses: { strict: 'denied', lenient: 'denied' },
  hangs: FAILED,
  'breaks off': FAILED,
  'is down': FAILED,
  'answers garbage': FAILED,
  'answers for another': FAILED,
  'answers with 500': FAILED,
  redirects: FAILED,
  'never stops talking': FAILED,
};
const SIDES: readonly (readonly Side[])[] = [['mutate'], ['validate'], ['mutate', 'validate']];
/** Moods in which calls arrive and are not answered. */
const UNANSWERED: readonly Bad[] = ['hangs', 'breaks off'];
/** How many times fewer there are of those that are answered, and of those that are slow. */
const ANSWERED = 3;
const SLOWER = 10;
const ORDINARY_WRITES = 10;
const PATIENCE_MS = 120_000;

/** Goes through all moods, one after another, beside writers of what webhooks are asked about and of what they are not; judges that. */
export async function inMoods(stage: Stage, webhook: MoodyWebhook, settings: MoodSettings): Promise<void> {
  const { url, ca, token, apiServerUrls } = stage.cluster;
  const apis = [url, ...apiServerUrls].map((each) => new Api({ url: each, ca, token }));
  const writers = new HotWriters(apis, stage.postgresUrl);
  writers.begin(settings.writers, stage.random);
  try {
    await comesTo(stage, webhook, writers, 'answers', { strict: 'committed', lenient: 'committed' }, ORDINARY_WRITES);
    await writeOrdinary(stage, ORDINARY_WRITES);
    for (const mood of chosen(stage, settings.moods)) {
      const sides = stage.random.pick(SIDES);
      stage.log(`what is asked to ${sides.join(' and to ')} ${mood}`);
      await inMood(stage, webhook, writers, mood, sides, settings);
      await writers.versions();
      if (stage.violations.length > 0 || writers.areUnasked(webhook.agreed)) break;
    }
  } finally {
    await writers.end();
    for (const api of apis) api.close();
  }
  const versions = await writers.versions();
  for (const { rule, message } of checkConsent(writers.writes, versions, webhook.agreed)) stage.report(rule, message);
  stage.measure('writes that webhooks are asked about', writers.writes.length);
  stage.measure('of which committed', versions.length);
}

function writesIn(mood: Bad, writes: number): number {
  if (UNANSWERED.includes(mood)) return writes;
  return writes / (mood === 'is slow' ? SLOWER : ANSWERED);
}

/** In an order of the seed. */
function chosen({ random }: Stage, count: number): Bad[] {
  const others = (Object.keys(MOODS) as Bad[]).filter((mood) => !UNANSWERED.includes(mood));
  return random.shuffled([...UNANSWERED, ...random.shuffled(others)].slice(0, count));
}

async function inMood(
  stage: Stage,
  webhook: MoodyWebhook,
  writers: HotWriters,
  mood: Bad,
  sides: readonly Side[],
  { writes, writers: count }: MoodSettings,
): Promise<void> {
  // Whoever fails closed there is not asked any further.
  const paths = HOT.map((policy) => `/${sides[0]}/${policy}`);
  const calls = paths.map((path) => webhook.callsOf(path));
  const failed = HOT.map((policy) => writers.count(policy, FAILED[policy]));
  await webhook.be(mood, sides);
  await Promise.all([
    writeOrdinary(stage, ORDINARY_WRITES),
    comesTo(stage, webhook, writers, mood, MOODS[mood], writesIn(mood, writes)),
  ]);
  if (UNANSWERED.includes(mood)) {
    for (const [at, path] of paths.entries()) {
      const policy = HOT[at] ?? 'strict';
      // Writes that were under way had been asked about before.
      const least = writers.count(policy, FAILED[policy]) - (failed[at] ?? 0) - count;
      const made = webhook.callsOf(path) - (calls[at] ?? 0);
      stage.measure(`calls of one that ${mood}`, made);
      stage.must(
        'R.asked',
        made >= least,
        `${path} was called ${made} times while it ${mood}, for more than ${least} writes`,
      );
    }
  }
  await webhook.be('answers', []);
  await comesTo(
    stage,
    webhook,
    writers,
    'answers again',
    { strict: 'committed', lenient: 'committed' },
    writes / SLOWER,
  );
}

/** Waits until so many writes have come to what they must. */
async function comesTo(
  stage: Stage,
  webhook: MoodyWebhook,
  writers: HotWriters,
  mood: string,
  outcomes: Outcomes,
  count: number,
): Promise<void> {
  const before = HOT.map((policy) => writers.count(policy, outcomes[policy]));
  const done = () => HOT.every((policy, at) => writers.count(policy, outcomes[policy]) >= (before[at] ?? 0) + count);
  const what = `writes are as they must be where it ${mood}`;
  await stage.recovers(what, PATIENCE_MS, () => done() || writers.areUnasked(webhook.agreed));
}
