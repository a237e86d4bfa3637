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
