import { Worker } from 'node:worker_threads';

/** A thread from a file of TypeScript, as tests find it: nothing is built for them. */
export function sourceThread(file: URL): Worker {
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(file.href)}); })`;
  return new Worker(code, { eval: true, execArgv: ['--conditions=source'] });
}
