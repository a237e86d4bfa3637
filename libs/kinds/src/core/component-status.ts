import type { ComponentStatus } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Rules of ComponentStatus: its table. */
export const componentStatus: KindDeclaration<ComponentStatus> = {
  row(object) {
    const healthy = condition(object);
    const word = { True: 'Healthy', False: 'Unhealthy' }[healthy?.status ?? ''] ?? 'Unknown';
    return { Status: word, Message: healthy?.message ?? '', Error: healthy?.error ?? '' };
  },
};

const condition = (object: ComponentStatus) => (object.conditions ?? []).find(({ type }) => type === 'Healthy');
