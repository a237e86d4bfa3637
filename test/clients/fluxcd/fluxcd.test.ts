import { describeClient } from '../describe-client.js';
import { goProgram } from '../go-program.js';

const program = goProgram('fluxcd', 'current');

describeClient({
  name: 'github.com/fluxcd/pkg/ssa 0.78.0',
  checks: [
    'a set of objects is applied, and left alone the second time',
    'a drift is shown, and mended',
    'a field that cannot change makes the object anew when that is asked for',
    "fields of kubectl's client-side apply change hands",
    'entries of another version are moved',
    'what others own is left to them',
    'waits until all is ready',
    'deletes all, and waits for that',
  ],
  program: () => ({ command: program(), args: [] }),
  servers: ['standalone'],
});
