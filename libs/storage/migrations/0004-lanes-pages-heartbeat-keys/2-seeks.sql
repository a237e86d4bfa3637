-- The state before each change in the order of keys: what a page of an older version finds in place of the objects that were
-- written since. Creations found nothing and are not in it. For every object and version at most one row has
-- prior_version <= version asked for < version; both columns are in the index, so that others cost no look at their rows.
--
-- Only on what is to come: partitions that hold changes already, or may be written to at this moment, go without, so that
-- nobody waits for an index to be built. They are read as slowly as before until their retention ends.
CREATE INDEX change_by_key ON ONLY change (type, namespace, name, version, prior_version) WHERE prior_version IS NOT NULL;

DO $$
DECLARE
  partition text;
BEGIN
  FOR partition IN
    SELECT 'change_' || p.number FROM history_partition p, resource_version s WHERE p.number > s.last_value / 10000000
  LOOP
    EXECUTE format(
      'CREATE INDEX ON %I (type, namespace, name, version, prior_version) WHERE prior_version IS NOT NULL', partition);
  END LOOP;
END $$;

-- The objects of types that expire, in the order of their versions: what was written longest ago is found without looking at
-- the rest. Filled from history by whoever deletes them, not by writers. One that was written since is in it twice: only the
-- entry with the object's version counts.
CREATE TABLE expiring (
  type integer NOT NULL,
  version bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (type, version)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Which versions have been put there, and which have been dealt with.
CREATE TABLE expiry_progress (
  type integer PRIMARY KEY REFERENCES lane (id),
  noted bigint NOT NULL,
  spent bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
