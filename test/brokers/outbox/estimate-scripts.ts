import type { Script } from "./script.ts";

/** What has no value, and needs the session's zone or style, so that no plan has it beforehand. */
const SOON = "$1::text::timestamptz";
const WHILE = "$1::text::interval";

/** Conditions, of which a server computes some before it looks for rows, as an estimate. */
const CONDITIONS: readonly string[] = [
  ...[
    `created_at = ${SOON}`,
    `${SOON} = created_at`,
    `created_at < ${SOON}`,
    `${SOON} <> visible_at`,
  ],
  ...[`created_at + interval '1 s' > ${SOON}`, `created_at > now() - ${WHILE}`],
  ...[`visible_at - created_at > ${WHILE}`, `created_at + ${WHILE} > visible_at`],
  ...[`created_at + ${WHILE} > now()`, `now() > created_at + ${WHILE}`],
  ...[`created_at IS DISTINCT FROM ${SOON}`, `${SOON} IS NOT DISTINCT FROM created_at`],
  ...[`created_at IN (${SOON}, now())`, `created_at NOT IN (now(), ${SOON})`],
  ...[`created_at IN (visible_at, ${SOON})`, `${SOON} IN (created_at, visible_at)`],
  ...[`created_at = ANY(ARRAY[${SOON}])`, `(created_at = ${SOON}) IS NULL`],
  ...[`NOT created_at = ${SOON}`, `NOT (created_at = ${SOON} AND attempts = 1)`],
  ...[`attempts = 1 AND created_at = ${SOON}`, `attempts = 1 OR created_at = ${SOON}`],
  ...[`false AND created_at = ${SOON}`, `true OR created_at = ${SOON}`],
  ...[`attempts = 1 AND attempts = 2 AND created_at = ${SOON}`],
  ...[`CASE WHEN attempts = 1 THEN created_at = ${SOON} ELSE false END`],
  ...[`coalesce(created_at = ${SOON}, false)`, `coalesce(visible_at, ${SOON}) > now()`],
  ...[`created_at = coalesce(${SOON}, now())`, `created_at = coalesce(now(), ${SOON})`],
  ...[`created_at = CASE WHEN now() > '2011-01-01Z' THEN now() ELSE ${SOON} END`],
  ...[`created_at = CASE WHEN clock_timestamp() > now() THEN now() ELSE ${SOON} END`],
  ...[`created_at = (SELECT ${SOON})`, `created_at > clock_timestamp() - ${WHILE}`],
  ...[`${SOON} > now()`, `${SOON} > clock_timestamp()`, `${SOON} IS NULL`],
  ...[
    `now() = ${SOON} AND attempts = 1`,
    `key = (${WHILE})::text`,
    `key || (${WHILE})::text = 'a'`,
  ],
  ...[`id IN (SELECT id FROM outbox WHERE created_at = ${SOON})`],
  ...[`EXISTS (SELECT 1 FROM outbox o WHERE o.created_at = ${SOON})`],
  ...[`created_at = (SELECT max(created_at) FROM outbox WHERE visible_at = ${SOON})`],
];

const STATEMENTS: readonly string[] = [
  ...CONDITIONS.map((condition) => `SELECT id FROM outbox WHERE ${condition}`),
  `SELECT created_at = ${SOON} AS it FROM outbox`,
  `SELECT id FROM outbox ORDER BY created_at = ${SOON}`,
  `UPDATE outbox SET attempts = 1 WHERE created_at = ${SOON}`,
  `UPDATE outbox SET visible_at = now() + ${WHILE}`,
  `DELETE FROM outbox WHERE created_at < ${SOON}`,
  `INSERT INTO outbox (key) SELECT key FROM outbox WHERE created_at = ${SOON}`,
];

export const ESTIMATE_SCRIPTS: Readonly<Record<string, Script>> = {
  "what is computed before a row is looked for, and there is none": async ({ pool }) => {
    const seen: unknown[] = [];
    for (const text of STATEMENTS) {
      try {
        const { rowCount } = await pool.query(text, ["x"]);
        seen.push([text, rowCount]);
      } catch (error) {
        const { code, message } = error as Error & { readonly code?: string };
        seen.push([text, code, message]);
      }
    }
    return seen;
  },
};
