import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from './shell-word.js';

it.each(['/srv/orch/kubeconfig', '/a b/c', "it's", '$HOME `id` "x" \\', '', 'ü\n'])(
  '%j is one word to a shell',
  (text) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`]).toString()).toBe(text);
  },
);

it('leaves a plain path as it is', () => {
  expect(shellWord('/srv/orch-1/kube_config.yaml')).toBe('/srv/orch-1/kube_config.yaml');
});
