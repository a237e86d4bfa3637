import { apiServerKills, commitPublish } from './api-server.js';
import { badKeys, badKeysShared } from './bad-keys.js';
import { budgetApart, budgetRace, budgetUnlocked } from './budget.js';
import { busyPages } from './busy-pages.js';
import { clocks } from './clocks.js';
import { compaction } from './compaction.js';
import {
  definitions,
  definitionsLate,
  definitionsLeft,
  definitionsStale,
  definitionsUnawaited,
} from './definitions.js';
import { diskFull } from './disk-full.js';
import { embeddedFull, embeddedKilled, embeddedLeft, embeddedSlow } from './embedded.js';
import { failoverAsynchronous, failoverSynchronous, failoverUnnoticed } from './failover.js';
import { forgedBelieved, forgedRecords } from './forged-records.js';
import { gatewayKills, gatewayPaused, gatewayWithoutNats, gatewayWithoutPostgres } from './gateway.js';
import { gatewayVanishes, gatewayVanishesUnnoticed } from './gateway-vanishes.js';
import { halfOpen } from './half-open.js';
import { headRowHeld, writerPaused } from './head-row.js';
import { herd } from './herd.js';
import { initialEventsCut } from './initial-events.js';
import { largeHistory, largeHistoryUnbounded } from './large-history.js';
import { leaks, leaksKept } from './leaks.js';
import { natsDown, natsKilled, natsPartitioned, natsPaused, natsSlow, natsTampered } from './nats.js';
import { openSnapshot } from './open-snapshot.js';
import { backendKills, backendTerminations, postgresKills, postgresPaused } from './postgres.js';
import { powerLoss, powerLossUnflushed } from './power-loss.js';
import { quotaApart, quotaKept, quotaRace, quotaUnlocked } from './quota.js';
import { restoredBackup, restoredBackupUnnoticed } from './restored-backup.js';
import { rights, rightsOfAll, rightsUnjudged } from './rights.js';
import { millionWrites, rollbacks } from './rollbacks.js';
import { rollingRestart } from './rolling-restart.js';
import type { Scenario } from './scenario.js';
import { soak } from './soak.js';
import { stalledInitial, stalledInitialUnbounded } from './stalled-initial.js';
import { stalledUnbounded, stalledWatchers } from './stalled-watchers.js';
import { trespass, trespassBelieved, trespassHandedOn, trespassUnadmitted } from './trespass.js';
import { unreadLists, unreadListsHeld } from './unread-lists.js';
import { longMigration, partitionRefused } from './upkeep.js';
import { watchFrom } from './watch-from.js';
import { webhooks, webhooksFailingOpen, webhooksSkipped } from './webhooks.js';

/** The rows of the table in README.md, in its order; one with several faults is several scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  apiServerKills,
  commitPublish,
  postgresKills,
  backendKills,
  backendTerminations,
  rollbacks,
  millionWrites,
  writerPaused,
  headRowHeld,
  postgresPaused,
  diskFull,
  embeddedKilled,
  embeddedFull,
  embeddedSlow,
  embeddedLeft,
  failoverSynchronous,
  failoverAsynchronous,
  failoverUnnoticed,
  restoredBackup,
  restoredBackupUnnoticed,
  natsKilled,
  natsPaused,
  natsDown,
  natsPartitioned,
  natsSlow,
  natsTampered,
  forgedRecords,
  forgedBelieved,
  gatewayKills,
  gatewayPaused,
  gatewayWithoutNats,
  gatewayWithoutPostgres,
  halfOpen,
  gatewayVanishes,
  gatewayVanishesUnnoticed,
  stalledWatchers,
  stalledUnbounded,
  stalledInitial,
  stalledInitialUnbounded,
  herd,
  rollingRestart,
  initialEventsCut,
  busyPages,
  compaction,
  badKeys,
  badKeysShared,
  largeHistory,
  largeHistoryUnbounded,
  openSnapshot,
  unreadLists,
  unreadListsHeld,
  partitionRefused,
  longMigration,
  watchFrom,
  clocks,
  definitions,
  definitionsUnawaited,
  definitionsStale,
  definitionsLate,
  definitionsLeft,
  quotaRace,
  quotaApart,
  quotaUnlocked,
  quotaKept,
  budgetRace,
  budgetApart,
  budgetUnlocked,
  trespass,
  trespassUnadmitted,
  trespassHandedOn,
  trespassBelieved,
  rights,
  rightsUnjudged,
  rightsOfAll,
  webhooks,
  webhooksFailingOpen,
  webhooksSkipped,
  powerLoss,
  powerLossUnflushed,
  leaks,
  leaksKept,
  soak,
];
