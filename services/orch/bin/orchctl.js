#!/usr/bin/env node
import { main } from '@orch/orchctl';

process.exitCode = await main(process.argv.slice(2));
