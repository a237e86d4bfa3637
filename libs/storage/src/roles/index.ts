export {
  type Administered,
  databasesOf,
  type FurtherSchema,
  installationOf,
  type MigratedSchema,
  type MigrationOrder,
  migrateDatabase,
  runScript,
  storeSchema,
} from './administration.js';
export type { RoleNames, SchemaRights } from './rights.js';
export { type RoledSchema, type RoleLogin, type RolesSettings, rolesScript } from './roles-script.js';
export { scramVerifier } from './scram.js';
