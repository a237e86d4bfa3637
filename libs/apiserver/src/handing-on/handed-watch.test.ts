import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LineEnds } from './frame-ends.js';
import { HandedWatch } from './handed-watch.js';

const LAST = Buffer.from('{"type":"ERROR"}\n');

function handed() {
  const [source, sink] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  sink.on('error', (error) => errors.push(error));
  const watch = new HandedWatch(source, sink, new LineEnds(), () => sink.end());
  return { source, sink, watch, errors };
}

describe('a watch that a gateway serves', () => {
  it('ends with the frame that it is ended with', async () => {
    const { source, sink, watch } = handed();
    source.write('{"n":1}\n');
    await once(sink, 'readable');
    watch.end(LAST);
    expect(await text(sink)).toBe(`{"n":1}\n${LAST}`);
  });

  it('that the gateway has ended is not written to any more', async () => {
    const { source, sink, watch, errors } = handed();
    source.end('{"n":1}\n');
    await once(source, 'end');
    watch.end(LAST);
    expect(await text(sink)).toBe('{"n":1}\n');
    expect(errors).toEqual([]);
  });

  it('that somebody else has ended is not written to any more, behind an event that was under way either', async () => {
    const { source, sink, watch, errors } = handed();
    source.write('{"n":');
    await once(sink, 'readable');
    watch.end(LAST);
    sink.end();
    source.write('1}\n');
    expect(await text(sink)).toBe('{"n":');
    expect(errors).toEqual([]);
  });
});
