import { expect, test } from 'vitest';
import { furtherCases, volumeCases } from './further.js';

test('cases of conformance, and those of other groups, are no further ones', () => {
  const all = ['[sig-node] Pods should run [Conformance]', '[sig-apps] Job should run', '[sig-node] Pods should wait'];
  expect(furtherCases(all)).toEqual({ names: ['[sig-node] Pods should wait'], leftOut: {} });
});

test('what one node without a cloud cannot be asked is counted by its reason', () => {
  const all = [
    '[sig-network] Netpol NetworkPolicy between server and client should deny',
    '[sig-storage] CSI Volumes [Driver: csi-hostpath] should work',
    '[sig-storage] In-tree Volumes [Driver: nfs] [Testpattern: Inline-volume (default fs)] volumes should work',
    '[sig-storage] In-tree Volumes [Driver: rbd] [Testpattern: Inline-volume (default fs)] volumes should work',
    '[sig-storage] In-tree Volumes [Driver: local][LocalVolumeType: block] [Testpattern: Pre-provisioned PV (default fs)] x',
    '[sig-storage] HostPath should support subPath',
  ];
  expect(furtherCases(all)).toEqual({
    names: [all.at(-1)],
    leftOut: {
      'a network that enforces policies': 1,
      'a driver of CSI': 1,
      'storage of a network or a cloud': 2,
      'a run of their own: all patterns of use of volumes that are folders or disks of the node': 1,
    },
  });
});

test('patterns of volumes are those of drivers that one node has', () => {
  const named = (driver: string, pattern: string) =>
    `[sig-storage] In-tree Volumes [Driver: ${driver}] [Testpattern: ${pattern}] volumes should store data`;
  const chosen = [
    named('hostPathSymlink', 'Inline-volume (default fs)'),
    named('local][LocalVolumeType: block', 'Pre-provisioned PV (ext4)'),
  ];
  const others = [
    named('nfs', 'Inline-volume (default fs)'),
    named('local][LocalVolumeType: gce-localssd-scsi-fs', 'Inline-volume (default fs)'),
    named('hostPath', 'Inline-volume (ntfs)'),
    named('hostPath', 'Dynamic PV (default fs)'),
    '[sig-storage] HostPath should support subPath',
  ];
  expect(volumeCases([...chosen, ...others])).toEqual({ names: chosen, leftOut: {} });
  const stopped = `${named('local', 'Pre-provisioned PV (default fs)')} while kubelet is down [Disruptive][Slow]`;
  expect(volumeCases([...chosen, stopped])).toEqual({
    names: chosen,
    leftOut: { 'an agent that is stopped over SSH': 1 },
  });
});
