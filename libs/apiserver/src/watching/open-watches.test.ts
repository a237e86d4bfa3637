import { authenticated } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { bareRequest } from '../chain/request-info.js';
import { OpenWatches } from './open-watches.js';

const NO_BOUNDS = { inAll: 0, perUser: 0 };
const watchOf = (name: string, ...groups: string[]) => {
  const authentication = authenticated({ name, groups, extra: {} }, 'token');
  return { authentication, user: authentication.user, request: bareRequest('GET', '/') };
};

describe('watches that are judged again', () => {
  it('are those alone of the users and groups whom it concerns, each once', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const admitted = [watchOf('jane', 'dev'), watchOf('joe', 'dev', 'ops'), watchOf('ann', 'ops'), watchOf('eve')].map(
      (watch) => watches.admit(watch),
    );
    const judged = async (users: string[], groups: string[]) => {
      const seen: string[] = [];
      const judge = ({ user }: { user: { name: string } }) => void seen.push(user.name);
      await watches.judgeAgain(judge, { users: new Set(users), groups: new Set(groups) });
      return seen.sort();
    };
    expect(await judged(['joe'], [])).toEqual(['joe']);
    expect(await judged(['jane', 'nobody'], ['ops'])).toEqual(['ann', 'jane', 'joe']);
    expect(await judged([], ['system:authenticated'])).toEqual(['ann', 'eve', 'jane', 'joe']);
    expect(await judged([], [])).toEqual([]);
    if (admitted[1]) watches.release(admitted[1]);
    expect(await judged(['joe'], ['ops'])).toEqual(['ann']);
  });

  it('end with the refusal', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const refusal = new StatusError('Forbidden', 'no more');
    const ended: StatusError[] = [];
    watches.admit(watchOf('jane'))?.endBy((error) => void ended.push(error));
    expect(await watches.judgeAgain(() => refusal, { users: new Set(['jane']), groups: new Set() })).toBe(1);
    expect(ended).toEqual([refusal]);
  });
});
