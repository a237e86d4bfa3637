import { bypassAttacks } from './bypasses.js';
import { cacheAttacks } from './cache.js';
import { certificateAttacks } from './certificates.js';
import { escalationAttacks } from './escalation.js';
import { headerAttacks } from './headers.js';
import { pathAttacks } from './paths.js';
import { attackStage } from './stage.js';
import { tokenAttacks } from './tokens.js';
import { writtenSecrets } from './written.js';

const stage = attackStage();
headerAttacks(stage);
pathAttacks(stage);
bypassAttacks(stage);
escalationAttacks(stage);
tokenAttacks(stage);
certificateAttacks(stage);
cacheAttacks(stage);
// Behind all others, whose secrets are looked for.
writtenSecrets(stage);
