import pg from 'pg';

/** Replaces the first occurrence. Throws when there is none: the variant would not be broken any more. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`the stored function does not hold ${JSON.stringify(part)} any more`);
  return text.replace(part, () => by);
}

/** Changes a stored function of a running installation. */
export async function redefine(url: string, name: string, change: (definition: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=cluster' });
  await client.connect();
  try {
    const { rows } = await client.query<{ definition: string }>(
      'SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname = $1',
      [name],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`the database holds no function ${name}`);
    await client.query(change(row.definition));
  } finally {
    await client.end();
  }
}
