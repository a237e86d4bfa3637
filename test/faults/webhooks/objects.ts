import type { Api } from '../../support/api.js';
import type { Policy } from '../validators/consent.js';

export const MAPS = '/api/v1/namespaces/default/configmaps';
/** Label of objects that webhooks are asked about; its value is which. */
export const HOOKED = 'hooked';
/** Objects that are written often; each is named after its policy. */
export const HOT: readonly Policy[] = ['strict', 'lenient'];
export const HELD = 'held';
/** About which no webhook is asked. */
export const ORDINARY = 'ordinary';

/** Makes what is written to. */
export async function createObjects(api: Api): Promise<void> {
  for (const name of [...HOT, HELD, ORDINARY]) {
    const labels = name === ORDINARY ? {} : { [HOOKED]: name };
    const { status, text } = await api.post(MAPS, { metadata: { name, labels } });
    if (status !== 201) throw new Error(`${status} ${text}`);
  }
}
