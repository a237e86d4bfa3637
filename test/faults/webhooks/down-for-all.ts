import { strike } from '../adversary/adversary.js';
import { insist } from '../rights/insist.js';
import type { Stage } from '../stage/stage.js';
import { ALL, changeForAll, registerForAll } from './configurations.js';
import type { MoodyWebhook } from './moody-webhook.js';
import { MAPS } from './objects.js';

const PATIENCE_MS = 60_000;
const REFUSED = /failed calling webhook .*all\.example\.com/;

/**
 * A webhook is down that fails closed and is asked about everything: servers start all the same, what it would have to do with is
 * refused, and administrators find ways out.
 */
export async function downForAll(stage: Stage, webhook: MoodyWebhook): Promise<void> {
  const api = stage.api();
  await webhook.be('is down', []);
  await registerForAll(api, webhook);
  await stage.recovers('every server refuses what cannot be asked about', PATIENCE_MS, () => all(stage, isRefused));
  const { apiServers, gateways } = stage.cluster;
  await strike(stage, stage.random.pick([...apiServers, ...gateways]), stage.random.between(0, 500));
  await stage.recovers('a server refuses that has started meanwhile', PATIENCE_MS, () => all(stage, isRefused));
  const passed = await insist(() => api.post(`${MAPS}?skipAdmissionWebhooks=true`, unnamed));
  stage.must('R.answer', passed.status === 201, `a write past the webhook was answered with ${passed.status}`);
  await changeForAll(api, webhook, 'Ignore');
  await stage.recovers('every server writes when failures are ignored', PATIENCE_MS, () => all(stage, isWritten));
  await changeForAll(api, webhook, 'Fail');
  await stage.recovers('every server refuses again', PATIENCE_MS, () => all(stage, isRefused));
  const { status, text } = await insist(() => api.delete(ALL));
  stage.must('R.answer', status === 200, `deleting the configuration was answered with ${status} ${text}`);
  await stage.recovers('every server writes when it is gone', PATIENCE_MS, () => all(stage, isWritten));
}

const unnamed = { metadata: { generateName: 'unnamed-' } };

type Check = (answer: { readonly status: number; readonly text: string }) => boolean;
const isRefused: Check = ({ status, text }) => status === 500 && REFUSED.test(text);
const isWritten: Check = ({ status }) => status === 201;

/** Whether the answers of all api-servers to a write are such. */
async function all(stage: Stage, check: Check): Promise<boolean> {
  const answers = await Promise.all(
    stage.cluster.apiServerUrls.map((url) =>
      stage
        .api(url)
        .post(MAPS, unnamed)
        .catch(() => undefined),
    ),
  );
  return answers.every((answer) => answer !== undefined && check(answer));
}
