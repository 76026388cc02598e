import type {
  CopyFacts,
  GroupFacts,
  PollFacts,
  SubFacts,
} from "../../checkers/stream/fact-shapes.ts";
import type { StreamFacts } from "../../checkers/stream/stream-facts.ts";
import { keyWords } from "../lanes/lanes-from.ts";
import { timeText } from "../../story/story.ts";
import type { Cell, TableParts } from "./table.ts";

/** More outstanding events than these are not listed. */
const COPIES_MAX = 30;
/** More subscribers than these have no column of their own. */
const MEMBERS_MAX = 24;
const ROWS_MAX = 60;

/** The tables of all groups that live: who still owes what, lanes, and subscribers. */
export function streamTables({ managers, copies }: StreamFacts): readonly TableParts[] {
  const groups = [...managers.values()].flatMap((manager) => [...manager.groups.values()]);
  const tables: TableParts[] = [];
  for (const group of groups) {
    if (group.poll === undefined && group.subs.size === 0) continue;
    const outstanding = group.poll?.byAge.filter(({ copy }) => copies.has(copy)) ?? [];
    const where = `${keyWords(group.key)} on ${group.manager.host}`;
    if (outstanding.length > 0) tables.push(owedTable(where, group, outstanding));
    if (group.poll !== undefined && outstanding.length > 0) {
      tables.push(laneTable(where, group.poll));
    }
    if (group.subs.size > 0) tables.push(subscriberTable(where, group));
  }
  return tables;
}

/** Outstanding events by subscribers. */
function owedTable(
  where: string,
  group: GroupFacts,
  outstanding: readonly CopyFacts[],
): TableParts {
  const members = new Set<SubFacts>(group.subs);
  for (const copy of outstanding) for (const sub of copy.members.keys()) members.add(sub);
  const columns = [...members].slice(0, MEMBERS_MAX);
  const shown = outstanding.slice(0, COPIES_MAX);
  const left = outstanding.length - shown.length;
  const unseen = members.size - columns.length;
  const more = [
    ...(left > 0 ? [`${left} more events`] : []),
    ...(unseen > 0 ? [`${unseen} more subscribers`] : []),
  ];
  return {
    title: `Outstanding events: who still owes what, ${where}`,
    class: "matrix",
    columns: ["event", "lane", "since", ...columns.map(({ trigger }) => `trigger ${trigger}`)],
    rows: shown.map((copy) => [
      copy.ref === "" ? `copy ${copy.copy}` : copy.ref,
      keyWords(copy.lane),
      timeText(copy.at),
      ...columns.map((sub) => owedCell(copy, sub)),
    ]),
    ...(more.length > 0 && { more: `and ${more.join(" and ")}` }),
  };
}

function owedCell(copy: CopyFacts, sub: SubFacts): Cell {
  const member = copy.members.get(sub);
  if (member === undefined) return { text: "·", class: "none", title: "not in the snapshot" };
  if (member.fate !== "pending") {
    const text = { acked: "acked", failed: "failed", rejected: "rejected", unsure: "resolved?" };
    return { text: text[member.fate], class: member.fate };
  }
  if (sub.open === copy) return { text: "window open", class: "owes" };
  if (member.unconfirmed.size > 0) {
    return { text: `seq ${[...member.unconfirmed].join(", ")} unconfirmed`, class: "owes" };
  }
  if (sub.queue.includes(copy.copy)) return { text: "queued", class: "owes" };
  return { text: "owes", class: "owes" };
}

/** How far each lane is resolved, from its head on. */
function laneTable(where: string, poll: PollFacts): TableParts {
  const lanes = [...poll.lanes].filter(([, list]) => list.length > 0);
  return {
    title: `Lanes of poll ${poll.poll}, ${where}${poll.isInFlight ? ", advance in flight" : ""}`,
    columns: ["lane", "outstanding", "resolved prefix", "head"],
    rows: lanes.slice(0, ROWS_MAX).map(([lane, list]) => {
      const open = list.findIndex(({ pending }) => pending > 0);
      const head = list[0];
      return [
        keyWords(lane),
        String(list.length),
        String(open === -1 ? list.length : open),
        head === undefined ? "" : head.ref || `copy ${head.copy}`,
      ];
    }),
    ...(lanes.length > ROWS_MAX && { more: `and ${lanes.length - ROWS_MAX} more` }),
  };
}

function subscriberTable(where: string, { subs, manager }: GroupFacts): TableParts {
  const unconfirmed = new Map<SubFacts, number[]>();
  for (const [seq, { sub }] of manager.seqs) {
    const seqs = unconfirmed.get(sub) ?? [];
    seqs.push(seq);
    unconfirmed.set(sub, seqs);
  }
  const all = [...subs];
  return {
    title: `Subscribers of ${where}`,
    columns: ["subscriber", "is", "queue", "window", "unconfirmed numbers"],
    rows: all
      .slice(0, ROWS_MAX)
      .map((sub) => [
        `trigger ${sub.trigger}`,
        subscriberState(sub),
        String(sub.queue.length),
        sub.open === undefined ? "" : sub.open.ref || `copy ${sub.open.copy}`,
        numberWords(unconfirmed.get(sub) ?? []),
      ]),
    ...(all.length > ROWS_MAX && { more: `and ${all.length - ROWS_MAX} more` }),
  };
}

function subscriberState(sub: SubFacts): Cell {
  if (sub.failure !== undefined) return { text: `failed: ${sub.failure}`, class: "failed" };
  if (sub.isPulling) return "waiting for the next event";
  if (sub.isVisiting) return "visiting";
  return sub.open === undefined ? "idle" : "working";
}

/** How many numbers a cell lists. */
const NUMBERS_MAX = 6;

function numberWords(numbers: readonly number[]): string {
  const more = numbers.length - NUMBERS_MAX;
  const shown = numbers.slice(0, NUMBERS_MAX).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
