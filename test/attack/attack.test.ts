import { headerAttacks } from './headers.js';
import { pathAttacks } from './paths.js';
import { attackStage } from './stage.js';

const stage = attackStage();
headerAttacks(stage);
pathAttacks(stage);
