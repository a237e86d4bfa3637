import type { ServerResponse } from 'node:http';

/**
 * Observes the head and the end of an answer, whatever sends it and in every version of HTTP.
 * @param begun called once the head goes out
 * @param over called once: before the end goes out, which waits for the returned promise, or when the client has gone
 */
export function onAnswer(res: ServerResponse, begun: () => void, over: () => Promise<unknown> | undefined): void {
  let isOver = false;
  const { writeHead, end } = res;
  res.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    const result = Reflect.apply(writeHead, this, args);
    begun();
    return result;
  } as typeof writeHead;
  res.end = function (this: ServerResponse, ...args: unknown[]) {
    const finish = () => Reflect.apply(end, this, args);
    if (isOver) return finish();
    isOver = true;
    const wait = over();
    if (!wait) return finish();
    void wait.then(finish);
    return this;
  } as typeof end;
  res.once('close', () => {
    if (isOver) return;
    isOver = true;
    void over();
  });
}
