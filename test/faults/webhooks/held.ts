import type { ApiObject } from '../../support/api.js';
import type { Stage } from '../stage/stage.js';
import type { MoodyWebhook, Side } from './moody-webhook.js';
import { HELD, MAPS } from './objects.js';
import { writeOrdinary } from './ordinary.js';

const PATIENCE_MS = 60_000;

/**
 * A webhook keeps a call of every api-server. Whoever writes other objects of the type, or the same one without asking, is answered
 * before it answers; what it was asked about is then done on top of that.
 * @param count of other writes
 */
export async function whileHeld(stage: Stage, webhook: MoodyWebhook, side: Side, count: number): Promise<void> {
  const path = `${MAPS}/${HELD}`;
  const apis = stage.cluster.apiServerUrls.map((url) => stage.api(url));
  const keys = apis.flatMap((_api, at) => [`${side}-asked-${at}`, `${side}-passed-${at}`]);
  webhook.hold(side);
  const asked = apis.map((api, at) => api.patch(path, 'merge', { data: { [`${side}-asked-${at}`]: 'yes' } }));
  await stage.recovers('every server asks', PATIENCE_MS, () => webhook.held === apis.length);
  await writeOrdinary(stage, count);
  for (const [at, api] of apis.entries()) {
    const body = { data: { [`${side}-passed-${at}`]: 'yes' } };
    const { status, text } = await api.patch(`${path}?skipAdmissionWebhooks=true`, 'merge', body);
    stage.must('R.answer', status === 200, `a write past the webhook was answered with ${status} ${text}`);
  }
  const held = webhook.held;
  stage.must('R.latency', held === apis.length, `others were written when ${held} of ${apis.length} calls were left`);
  webhook.release();
  for (const { status, text } of await Promise.all(asked))
    stage.must('R.answer', status === 200, `a write that a webhook agreed to late was answered with ${status} ${text}`);
  const { data = {} } = (await stage.api().get(path)).json<ApiObject>();
  for (const key of keys) stage.must('V3.lost', data[key] === 'yes', `${key} is missing in ${JSON.stringify(data)}`);
}
