import { Metrics } from '@orch/runtime';
import { expect, it } from 'vitest';
import { refusedObjects } from './refused-objects.js';

const OBJECT = { definition: 'a.test', namespace: 'n', name: 'o', uid: 'u', from: 'v1', to: 'v2', message: 'no' };

it('are counted each time, and told of when there is something new to tell', async () => {
  const metrics = new Metrics();
  const lines: Readonly<Record<string, string>>[] = [];
  const refused = refusedObjects(metrics, (_message, fields) => lines.push(fields));
  refused(OBJECT);
  refused(OBJECT);
  refused({ ...OBJECT, message: 'still not' });
  refused({ ...OBJECT, uid: 'another', message: 'still not' });
  refused({ ...OBJECT, to: 'v3' });
  expect(lines.map(({ to, message }) => `${to} ${message}`)).toEqual([
    'v2 no',
    'v2 still not',
    'v2 still not',
    'v3 no',
  ]);
  expect(lines[0]).toEqual({ definition: 'a.test', namespace: 'n', name: 'o', from: 'v1', to: 'v2', message: 'no' });
  const { body } = await metrics.text();
  expect(body).toMatch(/refused_objects_total\{crd_name="a.test",from_version="v1",to_version="v2"\} 4/);
});

it('have so many lines a minute, and the rest of them later', () => {
  let now = 0;
  let lines = 0;
  const refused = refusedObjects(
    new Metrics(),
    () => void lines++,
    () => now,
  );
  const refuseAll = () => {
    for (let at = 0; at < 100; at++) refused({ ...OBJECT, uid: `${at}` });
    return lines;
  };
  expect([refuseAll(), refuseAll()]).toEqual([60, 60]);
  now = 60_000;
  expect([refuseAll(), refuseAll()]).toEqual([100, 100]);
});
