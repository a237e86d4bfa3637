import { expect, test } from 'vitest';
import { agentOf } from './agent.js';

/** semantics 1.3 */
test.each([
  ['kubectl/v1.27.4 (linux/amd64) kubernetes/fa3d799', 'kubectl'],
  ['Go-http-client/2.0', 'Go-http-client'],
  ['Mozilla 5', 'Mozilla 5'],
  ['/x', ''],
  ['', ''],
  [undefined, ''],
  ['a\u0007bc d/1', 'abc d'],
  ['m'.repeat(200), 'm'.repeat(128)],
  [Buffer.from('zoé\u00a0b/1').toString('latin1'), 'zoéb'],
  [Buffer.from(`${'m'.repeat(127)}é`).toString('latin1'), 'm'.repeat(127)],
])('the user agent %j is the manager %j', (agent, manager) => {
  expect(agentOf(agent)).toBe(manager);
});
