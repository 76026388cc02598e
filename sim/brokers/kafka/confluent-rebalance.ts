import { isAssignment, LibrdKafkaError } from "./confluent-errors.ts";
import type { TopicPartitionAt } from "./confluent-fetcher.ts";
import type { RebalanceEvent } from "./confluent-handle.ts";

/** What a rebalance callback may call; the first call decides, and no call does as usual. */
interface AssignmentFns {
  assign(partitions: readonly TopicPartitionAt[]): void;
  unassign(partitions: readonly TopicPartitionAt[]): void;
  assignmentLost(): boolean;
}

type RebalanceCallback = (
  error: LibrdKafkaError,
  assignment: TopicPartitionAt[],
  fns: AssignmentFns,
) => unknown;

/** Who has answered a rebalance; a callback that fails at it leaves it without an answer. */
type Answer = "as usual" | "by the callback" | "not at all";

/** Tells the user's callback; `answer` is called with what it decides. */
export async function tellOf(
  rebalanceCb: unknown,
  { kind, partitions, isLost }: RebalanceEvent,
  answer: (partitions: readonly TopicPartitionAt[]) => boolean,
): Promise<Answer> {
  if (typeof rebalanceCb !== "function") return "as usual";
  let isAnswered = false;
  const decide = (chosen: readonly TopicPartitionAt[]): void => {
    if (!isAnswered) isAnswered = answer(chosen);
  };
  const notice =
    kind === "assign"
      ? new LibrdKafkaError("ERR__ASSIGN_PARTITIONS", "assign partitions", "local")
      : new LibrdKafkaError("ERR__REVOKE_PARTITIONS", "revoke partitions", "local");
  const fns = { assign: decide, unassign: decide, assignmentLost: () => isLost };
  try {
    const other = await (rebalanceCb as RebalanceCallback)(notice, partitions, fns);
    if (isAssignment(notice) && Array.isArray(other)) decide(other as TopicPartitionAt[]);
    // The library takes anything else for an assignment, too, and fails at it.
    else if (isAssignment(notice) && Boolean(other) && !isAnswered) return "not at all";
  } catch {
    // As in the library, which logs it and goes on as usual.
  }
  return isAnswered ? "by the callback" : "as usual";
}
