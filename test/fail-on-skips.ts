import type { Reporter, TestModule } from 'vitest/node';
import { skippedIn } from './skipped.js';

/**
 * Fails a run in which anything was left out, and names it. For runs that decide whether a change lands (`CI`): elsewhere tests may be
 * left out where what they need is absent.
 */
export default class FailOnSkips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const name of skippedIn(module)) {
        console.error(`left out, which fails the run where CI is set: ${module.relativeModuleId} > ${name}`);
        process.exitCode = 1;
      }
    }
  }
}
