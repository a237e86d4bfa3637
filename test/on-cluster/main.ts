import { buildImages } from './images.js';
import { runOnStage } from './run-on-stage.js';

const images = (dir: string) => buildImages(dir, process.env.PREVIOUS_TREE);

process.exitCode = runOnStage({ tests: 'on-cluster/chart', images }, process.argv.slice(2));
