import type { Kysely, QueryResult, RawBuilder } from 'kysely'
import { createHash } from 'node:crypto'

/**
 * Runs a query that is asked again and again with other parameters: a Postgres server parses and plans it once per
 * connection instead of each time, which for a look-up is most of its cost. What differs must be a parameter, or the
 * server collects statements; queries with `select *` break when their table gets a column.
 */
export function executePrepared<Row>(
  db: Kysely<unknown>,
  query: Pick<RawBuilder<Row>, 'compile'>,
): Promise<QueryResult<Row>> {
  const compiled = query.compile(db)
  prepared.add(compiled.parameters)
  return db.executeQuery(compiled)
}

/** Name of a statement that is to be kept by its connection; undefined for others. */
export function statementName(text: string, parameters: readonly unknown[]): string | undefined {
  if (!prepared.has(parameters)) return undefined
  return createHash('sha1').update(text).digest('base64url')
}

/** Kysely hands a driver text and parameters and has no place for more, so the lists of parameters are remembered. */
const prepared = new WeakSet<readonly unknown[]>()
