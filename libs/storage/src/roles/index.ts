export {
  type Administered,
  type FurtherSchema,
  installationOf,
  type MigratedSchema,
  type MigrationOrder,
  migrateDatabase,
  runScript,
  STORE_SCHEMA,
} from './administration.js';
export { type RoleNames, type SchemaRights, STORE_RIGHTS } from './rights.js';
export { type RoledSchema, type RoleLogin, type RolesSettings, rolesScript } from './roles-script.js';
export { scramVerifier } from './scram.js';
