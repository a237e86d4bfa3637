import { FEATURES } from '@orch/schema';
import { code, table } from './table.js';

/** Lists the feature gates of the release, those that can still be set first. */
export function featureTable(): string {
  const all = Object.entries(FEATURES);
  const [open, settled] = [
    all.filter(([, { stage }]) => stage !== 'ga'),
    all.filter(([, { stage }]) => stage === 'ga'),
  ];
  const rows = [...open, ...settled].map(([name, { stage, default: on, about }]) => [
    code(name),
    stage,
    on ? 'on' : 'off',
    about,
  ]);
  return table(['feature', 'stage', 'default', 'about'], rows);
}
