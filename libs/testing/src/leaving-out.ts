import type { InformerStore } from '@orch/informers';
import { type Key, type Row, UnreadableBodyError } from '@orch/storage';

/** A store of which some objects cannot be opened, as by a server that lacks a key; the histories of others are not meant to tell of these. */
export function leavingOut(
  store: Pick<InformerStore, 'snapshot' | 'get' | 'onRewind'>,
  isUnreadable: (key: Key) => boolean,
): Pick<InformerStore, 'snapshot' | 'get' | 'onRewind'> {
  const failure = ({ namespace, name }: Key) => {
    const what = { type: { group: '', resource: 'things' }, key: { namespace, name }, why: 'no key' };
    return new UnreadableBodyError(what, false);
  };
  return {
    onRewind: (listener) => store.onRewind(listener),
    async get(type, key) {
      if (isUnreadable(key)) throw failure(key);
      return store.get(type, key);
    },
    async snapshot(request) {
      const { pages, ...snapshot } = await store.snapshot(request);
      async function* readable(): AsyncIterable<readonly Row[]> {
        for await (const page of pages) {
          for (const row of page.filter(isUnreadable)) request.onUnreadable?.(failure(row), row.version);
          yield page.filter((row) => !isUnreadable(row));
        }
      }
      return { ...snapshot, pages: readable() };
    },
  };
}
