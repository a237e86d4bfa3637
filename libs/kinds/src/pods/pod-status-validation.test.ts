import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, SUBDOMAIN_FORM, stepRefusals } from '../testing/judged-pods.js';

describe('a report on a pod', () => {
  it.each<[Changes, Changes, string[]]>([
    [
      {},
      { status: { conditions: [{ type: 'Ready' }, { type: 'a b' }], nominatedNodeName: 'A' } },
      [
        `metadata.conditions[1].Type: Invalid value: "a b": ${KEY_FORM}`,
        `status.nominatedNodeName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
      ],
    ],
    [
      {
        'spec.restartPolicy': 'Never',
        status: {
          containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1 } } }],
          initContainerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }],
          ephemeralContainerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }],
        },
      },
      {
        status: {
          containerStatuses: [{ name: 'c', state: { running: {} } }],
          initContainerStatuses: [{ name: 'c', state: { running: {} } }],
          ephemeralContainerStatuses: [{ name: 'c', state: { running: {} } }],
        },
      },
      [
        'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
        'status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
        'status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
      ],
    ],
    [
      {
        'spec.restartPolicy': 'OnFailure',
        status: { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1 } } }] },
      },
      { status: { containerStatuses: [{ name: 'c', state: { running: {} } }] } },
      [],
    ],
    [
      {
        'spec.restartPolicy': 'OnFailure',
        status: { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] },
      },
      { status: { containerStatuses: [{ name: 'c', state: { running: {} } }] } },
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      {
        status: {
          containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }],
          ephemeralContainerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }],
        },
      },
      {
        status: {
          containerStatuses: [{ name: 'c', state: { running: {} } }],
          ephemeralContainerStatuses: [{ name: 'c', state: { running: {} } }],
        },
      },
      ['status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    [
      {},
      { status: { podIPs: [{ ip: 'x' }] } },
      ['status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      {},
      { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] } },
      [
        'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"10.0.0.1"}}: may specify no more than one IP for each IP family',
        'status.podIPs[1]: Duplicate value: core.PodIP{IP:"10.0.0.1"}',
      ],
    ],
    [
      {},
      { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] } },
      [
        'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"10.0.0.2"}}: may specify no more than one IP for each IP family',
      ],
    ],
    [{}, { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '2001:db8::1' }] } }, []],
    [
      {},
      { status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '2001:db8::1' }, { ip: '2001:db8::2' }] } },
      [
        'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"2001:db8::1"}, core.PodIP{IP:"2001:db8::2"}}: may specify no more than one IP for each IP family',
      ],
    ],
    [{}, { status: { podIP: '10.0.0.9' } }, []],
    [{}, { status: { podIP: '10.0.0.9', podIPs: [{ ip: 'x' }, { ip: 'y' }] } }, []],
    [{}, { 'spec.nodeName': 'other' }, []],
  ])('%j: %j', (before, after, causes) => {
    expect(stepRefusals('status', before, after)).toEqual(causes);
  });
});
