/**
 * Set-up of tests: a process that warns of listeners that gather (node's `MaxListenersExceededWarning`) fails its test run, for where a
 * dozen gather in a test a client makes thousands.
 */
const SET_UP = Symbol.for('orch.fails-on-listener-leaks');

// Files share a process, each of which is set up.
if (!(SET_UP in globalThis)) {
  globalThis[SET_UP] = true;
  process.on('warning', (warning) => {
    if (warning.name !== 'MaxListenersExceededWarning') return;
    // The warning itself holds the emitter, which would be printed whole.
    throw Object.assign(new Error(warning.message), { stack: warning.stack });
  });
}
