import { ContainerSupervisor } from './supervisor.js';

const [, , folder = ''] = process.argv;
// Its container is stopped by requests, and ends with it: signals of a terminal or of a service manager do not mean it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
await new ContainerSupervisor(folder).run();
process.exit(0);
