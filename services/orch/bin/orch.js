#!/usr/bin/env node
import { main } from '../dist/bundle/orch.js';

process.exitCode = await main(process.argv.slice(2));
// Everything was stopped. An attempt to connect, say, that nobody waits for any more must not hold the process.
setTimeout(() => process.exit(), 500).unref();
