-- How the state of a key range at an older version is found: what has been deleted since, in the order of keys, and for each
-- object that was written since the first change after that version, wherever it lies among however many.
--
-- Each change names the version that it found, so the way back from the newest is a walk through the primary key. An
-- index knows some changes of each object to walk back from, so that the way is short: all deletions, and of the other changes every
-- eighth, at random. An index of every change would make updates a tenth dearer.

-- Whether the index knows the change. All of those from before count as such.
ALTER TABLE change ADD COLUMN sought boolean NOT NULL DEFAULT true;
ALTER TABLE change ALTER COLUMN sought SET DEFAULT false;

-- Only on what is to come: partitions that hold changes already go without, so that nobody waits for an index to be built.
-- They are read as slowly as before until their retention ends, as all of their changes count as known. Writes go on in the
-- next partition: without an index the way back to a change that is not known is a search of all that there are.
CREATE INDEX change_by_key ON ONLY change (type, namespace, name, version, action) WHERE sought;

DO $$
DECLARE
  width CONSTANT bigint := 10000000;
  next bigint;
  partition text;
BEGIN
  SELECT last_value / width + 1 INTO next FROM resource_version;
  FOR partition IN SELECT 'change_' || p.number FROM history_partition p WHERE p.number >= next LOOP
    EXECUTE format('CREATE INDEX ON %I (type, namespace, name, version, action) WHERE sought', partition);
  END LOOP;
  IF EXISTS (SELECT FROM history_partition) THEN
    PERFORM create_history_partition(next + n, width) FROM generate_series(0, 2) n;
    PERFORM setval('resource_version', next * width, false);
  END IF;
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
