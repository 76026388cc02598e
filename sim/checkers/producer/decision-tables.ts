import type { DecisionTable } from "./record-facts.ts";

/** The decision tables that have a name. */
export type DecisionTableName = "airflow" | "dead-letter" | "failed-first";

/**
 * What a producer owes its broker for an outcome. In each table an event that failed, or that
 * nobody took, is given back, and one that everybody took is settled.
 *
 * - `airflow`: all that Airflow's documents allow. A rejected event is dead-lettered or nacked; where
 *   one subscriber rejected it and another one failed, it may be given back as well.
 * - `dead-letter`: a rejected event is dead-lettered, whatever became of it elsewhere.
 * - `failed-first`: an event that failed is given back also if another subscriber rejected it; one
 *   that was only rejected is dead-lettered.
 */
export const DECISION_TABLES: Readonly<Record<DecisionTableName, DecisionTable>> = Object.freeze({
  airflow: ({ acked, failed, rejected }) => {
    if (rejected > 0) return failed > 0 ? "refuse-or-hold" : "refuse";
    return failed > 0 || acked === 0 ? "hold" : "settle";
  },
  "dead-letter": ({ acked, failed, rejected }) => {
    if (rejected > 0) return "dead-letter";
    return failed > 0 || acked === 0 ? "hold" : "settle";
  },
  "failed-first": ({ acked, failed, rejected }) => {
    if (failed > 0 || acked + rejected === 0) return "hold";
    return rejected > 0 ? "dead-letter" : "settle";
  },
});

export const DECISION_TABLE_NAMES: readonly DecisionTableName[] = Object.freeze([
  "airflow",
  "dead-letter",
  "failed-first",
]);
