import type { Mutation } from '../stage/mutant.js';
import type { Stage } from '../stage/stage.js';
import type { Rule } from '../validators/violation.js';
import { register } from '../webhooks/configurations.js';
import { downForAll } from '../webhooks/down-for-all.js';
import { whileHeld } from '../webhooks/held.js';
import { inMoods } from '../webhooks/moods.js';
import { MoodyWebhook } from '../webhooks/moody-webhook.js';
import { createObjects } from '../webhooks/objects.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

/** Bytes of an answer that servers take, and what the kernel and TLS may hold beside. */
const MAX_ANSWER = 1 << 20;
const BUFFERS = 32 << 20;
const SERVER_ARGS = [`--webhook-max-answer-bytes=${MAX_ANSWER}`];

export const webhooks = hooked({
  name: 'webhooks',
  fault:
    'admission webhooks are slow, refuse, hang, break off, are down, redirect, answer garbage or without an end, beside 50 writers of two objects that they are asked about; then one that is down is asked about everything, and a server is killed',
  pass: 'what fails closed is written only with what both webhooks have to do with it, what fails open always; each write is done whole, or not at all and so answered; no other one waits for a webhook; one that does not answer is asked all the same; answers have a bound; servers start, and the configuration can be changed and taken away',
});

/** The negative controls. */
const CALLER = 'libs/admission/dist/webhook/hook-caller.js';
export const webhooksFailingOpen = control('webhooks-failing-open', 'every failure is ignored', 'R.consent', {
  module: CALLER,
  part: 'const rejects = !hook.ignoresFailure;',
  by: 'const rejects = false;',
});
export const webhooksSkipped = control('webhooks-skipped', 'one that did not answer is not asked', 'R.asked', {
  module: CALLER,
  part: 'if (!hook.ignoresFailure && outstanding.refuses(caller)) {',
  by: "if (outstanding.lastFailure !== '' && Math.random() < 0.99) {",
});

function control(name: string, defect: string, caughtBy: Rule, mutation: Mutation): Scenario {
  const about = { name, fault: `the same where ${defect}: the negative control`, pass: `${caughtBy} says so` };
  return controlled(hooked(about, mutation), caughtBy);
}

function hooked(about: Omit<Scenario, 'run'>, ...mutations: readonly Mutation[]): Scenario {
  return staged(about, { gateways: 1, serverArgs: SERVER_ARGS, mutations }, async (stage, settings) => {
    const webhook = await MoodyWebhook.start();
    try {
      await createObjects(stage.api());
      await register(stage.api(), webhook);
      await beside(stage, settings, webhook);
      stage.must('R.answer', webhook.followed === 0, `${webhook.followed} redirects were followed`);
      stage.measure('bytes of an answer that were taken', webhook.mostTaken);
      const bounded = webhook.mostTaken <= MAX_ANSWER + BUFFERS;
      stage.must('R.answer', bounded, `${webhook.mostTaken} bytes of an answer were taken`);
    } finally {
      await webhook.close();
    }
  });
}

async function beside(stage: Stage, settings: ScenarioSettings, webhook: MoodyWebhook): Promise<void> {
  const writers = scaled(settings, 50, 6);
  await inMoods(stage, webhook, {
    writers,
    writes: scaled(settings, 1_000, 60),
    moods: scaled(settings, 10, 6),
  });
  if (stage.violations.length > 0) return;
  for (const side of ['mutate', 'validate'] as const) await whileHeld(stage, webhook, side, scaled(settings, 200, 10));
  await downForAll(stage, webhook);
}
