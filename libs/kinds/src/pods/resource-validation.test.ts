import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals } from '../testing/judged-pods.js';

describe('resources', () => {
  it.each<[Changes]>([
    [
      {
        'spec.containers.0.resources': {
          requests: { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '1Gi' },
          limits: { cpu: '1', 'example.com/x': '2', 'hugepages-2Mi': '4Mi', 'a.kubernetes.io/x': '1' },
        },
      },
    ],
    [{ 'spec.overhead': { cpu: '250m', memory: '64Mi' }, 'spec.resourceClaims': [{ name: 'A' }] }],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.containers.0.resources': {
          limits: { cpu: '-1', x: '1', 'a b': '1', pods: '1.5', 'hugepages-2Mi': '3Mi' },
        },
      },
      [
        'spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.containers[0].resources.limits[x]: Invalid value: "x": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[x]: Invalid value: "x": must be a standard resource for containers',
        `spec.containers[0].resources.limits[a b]: Invalid value: "a b": ${KEY_FORM}`,
        'spec.containers[0].resources.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
        'spec.containers[0].resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.containers[0].resources.limits[pods]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.containers[0].resources.requests[x]: Invalid value: "x": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[x]: Invalid value: "x": must be a standard resource for containers',
        `spec.containers[0].resources.requests[a b]: Invalid value: "a b": ${KEY_FORM}`,
        'spec.containers[0].resources.requests[a b]: Invalid value: "a b": must be a standard resource for containers',
        'spec.containers[0].resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.containers[0].resources.requests[pods]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [
      {
        'spec.containers.0.resources': {
          requests: { cpu: '2', 'example.com/x': '2', memory: '2Gi' },
          limits: { cpu: '1', 'example.com/x': '3', memory: '1Gi' },
        },
      },
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        'spec.containers[0].resources.requests: Invalid value: "2": must be equal to example.com/x limit of 3',
        'spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
      ],
    ],
    [
      {
        'spec.containers.0.resources': { requests: { 'example.com/x': '1500m' }, limits: { 'example.com/x': '1500m' } },
      },
      [
        'spec.containers[0].resources.limits[example.com/x]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
        'spec.containers[0].resources.requests[example.com/x]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
      ],
    ],
    [
      { 'spec.containers.0.resources': { requests: { 'example.com/x': '1', 'hugepages-2Mi': '2Mi' } } },
      [
        'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
        'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
        'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
      ],
    ],
    [
      { 'spec.containers.0.resources': { requests: { 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '4Mi' } } },
      [
        'spec.containers[0].resources.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi',
        'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
      ],
    ],
    [
      {
        'spec.containers.0.resources': {
          limits: { 'requests.example.com/x': '1', 'a/b/c': '1', 'example.com/': '1', 'kubernetes.io/x': '1' },
        },
      },
      [
        'spec.containers[0].resources.limits[requests.example.com/x]: Invalid value: "requests.example.com/x": doesn\'t follow extended resource name standard',
        "spec.containers[0].resources.limits[a/b/c]: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        'spec.containers[0].resources.limits[a/b/c]: Invalid value: "a/b/c": doesn\'t follow extended resource name standard',
        'spec.containers[0].resources.limits[example.com/]: Invalid value: "example.com/": name part must be non-empty',
        `spec.containers[0].resources.limits[example.com/]: Invalid value: "example.com/": ${KEY_FORM}`,
        'spec.containers[0].resources.limits[example.com/]: Invalid value: "example.com/": doesn\'t follow extended resource name standard',
        'spec.containers[0].resources.requests[requests.example.com/x]: Invalid value: "requests.example.com/x": doesn\'t follow extended resource name standard',
        "spec.containers[0].resources.requests[a/b/c]: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        'spec.containers[0].resources.requests[a/b/c]: Invalid value: "a/b/c": doesn\'t follow extended resource name standard',
        'spec.containers[0].resources.requests[example.com/]: Invalid value: "example.com/": name part must be non-empty',
        `spec.containers[0].resources.requests[example.com/]: Invalid value: "example.com/": ${KEY_FORM}`,
        'spec.containers[0].resources.requests[example.com/]: Invalid value: "example.com/": doesn\'t follow extended resource name standard',
      ],
    ],
    [
      {
        'spec.containers.0.resources': {
          limits: {
            memory: '1',
            [`example.com/${'x'.repeat(60)}`]: '1',
            'hugepages-x': '1',
            'requests.hugepages-2Mi': '1',
          },
        },
      },
      [
        'spec.containers[0].resources.limits[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x',
        'spec.containers[0].resources.limits[requests.hugepages-2Mi]: Invalid value: "requests.hugepages-2Mi": must be a standard resource for containers',
        'spec.containers[0].resources.requests[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x',
        'spec.containers[0].resources.requests[requests.hugepages-2Mi]: Invalid value: "requests.hugepages-2Mi": must be a standard resource for containers',
      ],
    ],
    [
      { 'spec.overhead': { cpu: '-1', x: '1', 'example.com/x': '500m' } },
      [
        'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.overhead.limits[x]: Invalid value: "x": must be a standard resource type or fully qualified',
        'spec.overhead.limits[x]: Invalid value: "x": must be a standard resource for containers',
        'spec.overhead.limits[example.com/x]: Invalid value: resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"500m", Format:"DecimalSI"}: must be an integer',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
