import { expect, it } from 'vitest';
import { maxVolumesOf } from './max-volumes.js';

it('reads the limit of the disks of a node', () => {
  expect(maxVolumesOf({ KUBE_MAX_PD_VOLS: '5' })).toEqual({ maxVolumes: 5 });
  expect(maxVolumesOf({})).toEqual({});
  expect(maxVolumesOf({ KUBE_MAX_PD_VOLS: '' })).toEqual({});
});

it.each(['0', '-1', 'many', '1.5', '1e3'])('tells that %s is no limit', (text) => {
  expect(maxVolumesOf({ KUBE_MAX_PD_VOLS: text })).toEqual({
    warning: `KUBE_MAX_PD_VOLS: "${text}" is no number above 0, and counts for nothing`,
  });
});
