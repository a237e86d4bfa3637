-- Which servers are alive, and how far each of them has come with the definitions of custom kinds. A definition is said to be
-- established once all of them serve it, so a row that nobody renews counts for nothing when its time is over. Servers of the
-- release before have no row: they serve no custom kinds, and nobody waits for them.

CREATE TABLE server (
  id text COLLATE "C" PRIMARY KEY,
  -- By the clock of the database.
  until timestamptz NOT NULL,
  -- It serves what definitions say at this version.
  served bigint NOT NULL,
  -- It is making no object of a kind of which this version says that its objects are to go.
  drained bigint NOT NULL
) WITH (fillfactor = 50);
