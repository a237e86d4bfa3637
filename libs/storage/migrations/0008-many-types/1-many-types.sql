-- Thousands of custom kinds are types of which most hold nothing: what is done while nobody can read or write history must not look at
-- each of them.

-- As before, but for the types that are looked at: those that the partition holds changes of, found by stepping from one to the next.
CREATE OR REPLACE FUNCTION drop_history_partition(p_number bigint, p_patience integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  partition text := 'change_' || p_number;
BEGIN
  -- Reads of history queue behind this one too, so it is not patient either.
  PERFORM set_config('lock_timeout', (4 * p_patience)::text, true);
  LOCK TABLE history_partition IN ACCESS EXCLUSIVE MODE;
  PERFORM set_config('lock_timeout', p_patience::text, true);
  LOCK TABLE ONLY change IN ACCESS EXCLUSIVE MODE;
  EXECUTE format(
    'WITH RECURSIVE held (type) AS (
       SELECT min(c.type) FROM %1$I c
       UNION ALL
       SELECT (SELECT min(c.type) FROM %1$I c WHERE c.type > h.type) FROM held h WHERE h.type IS NOT NULL)
     UPDATE history_floor f SET floor = d.version
       FROM (SELECT h.type AS id, (SELECT max(c.version) FROM %1$I c WHERE c.type = h.type) AS version
               FROM held h WHERE h.type IS NOT NULL) d
      WHERE f.type = d.id AND d.version > f.floor', partition);
  EXECUTE format('DROP TABLE %I', partition);
  DELETE FROM history_partition WHERE number = p_number;
END $$;
