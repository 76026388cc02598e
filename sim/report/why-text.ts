import { timeText } from "../story/story.ts";
import type { ChoiceInWords } from "../search/why/choice-words.ts";
import type { Paint } from "./terminal.ts";
import type { WhyDocument, WhyPart, WhyPoint, WhyWithout } from "./why-document.ts";

const BAR_WIDTH = 20;

/** Returns an explanation as text. */
export function whyTextFrom(
  why: WhyDocument,
  { scenario, seed }: { readonly scenario: string; readonly seed: number },
  paint: Paint,
): string {
  const { checker, promise, detail, at, host } = why.violation;
  return [
    `${paint.bad("BROKEN")}  ${scenario}, seed ${seed}, at ${timeText(at)} on ${host}`,
    `  promise ${checker}: ${promise}`,
    `  seen: ${detail}`,
    "",
    ...curveLines(why, paint),
    certaintyLine(why),
    "",
    ...riseLines(why, paint),
    "",
    ...withoutLines(why, paint),
    ...notTriedText(why).map((line) => `\n${line}`),
  ].join("\n");
}

function curveLines({ curve, choices }: WhyDocument, paint: Paint): readonly string[] {
  const width = Math.max("choices taken".length, String(choices).length);
  const head = `${"choices taken".padStart(width)}  broke       share  95 % interval`;
  return [paint.bold(head), ...curve.map((point) => pointLine(point, width, choices))];
}

function pointLine(point: WhyPoint, width: number, choices: number): string {
  const { taken, broken, runs, share, low, high } = point;
  const counts = taken === choices ? "this run" : `${broken} of ${runs}`;
  const interval = `${low.toFixed(2)} to ${high.toFixed(2)}`;
  const bar = "\u2588".repeat(Math.round(share * BAR_WIDTH));
  return `${String(taken).padStart(width)}  ${counts.padEnd(10)}  ${share.toFixed(2)}   ${interval}  ${bar}`.trimEnd();
}

/** Returns from which choice on all runs broke the promise. */
export function certaintyLine({ certainFrom, choices, curve }: WhyDocument): string {
  const runs = curve
    .filter(({ taken }) => taken >= certainFrom && taken < choices)
    .reduce((all, point) => all + point.runs, 0);
  if (certainFrom === choices) return "It became certain only with the last choice of the run.";
  const share = `all ${runs} runs broke the promise`;
  return certainFrom === 0
    ? `Whatever is chosen, ${share}: the scenario itself breaks it.`
    : `From choice ${certainFrom} of ${choices} on, ${share}.`;
}

function riseLines({ rises }: WhyDocument, paint: Paint): readonly string[] {
  if (rises.length === 0) return ["No choice made the break likelier: the curve does not rise."];
  const lines = rises.flatMap(({ from, to, choices, more }) => {
    const head = `  ${riseTitle({ from, to })}`;
    const [only] = choices;
    if (more === 0 && only !== undefined && choices.length === 1) {
      return [`${head}: ${choiceText(only)}`];
    }
    const rest = more > 0 ? [`      (${more} more)`] : [];
    const named = choices.map((one) => `      ${one.choice}: ${choiceText(one)}`);
    return [`${head}, among them`, ...named, ...rest];
  });
  return [paint.bold("The steepest rises:"), ...lines];
}

/** Returns how far the share rises, and between which choices. */
export function riseTitle({ from, to }: Pick<WhyDocument["rises"][number], "from" | "to">): string {
  const isOne = to.taken - from.taken === 1;
  const where = isOne ? `choice ${from.taken}` : `choices ${from.taken} to ${to.taken - 1}`;
  return `${from.share.toFixed(2)} -> ${to.share.toFixed(2)}  ${where}`;
}

/** Returns what a choice decided, when, and what happened next. */
export function choiceText(choice: ChoiceInWords): string {
  const next = choice.next.length === 0 ? "" : `; then: ${choice.next.join("; ")}`;
  return `${choice.words} (${timeText(choice.at)}${next})`;
}

function withoutLines(why: WhyDocument, paint: Paint): readonly string[] {
  const { alone, pairs, withoutAll, untried } = why;
  const needed = alone.filter(({ without }) => without === "holds").toSorted(asTheyCame);
  const others = alone.length - needed.length;
  const left = untried > 0 ? `, ${untried} not tried` : "";
  const head = `Each fault and act left out alone: ${needed.length} needed, ${others} not${left}`;
  return [
    paint.bold(head),
    ...needed.map((one) => `  needed: ${partsText(one)}`),
    ...pairs.map((one) => `  needed, one of the two: ${partsText(one)}`),
    ...(needed.length === 0 && withoutAll === "breaks"
      ? ["  It breaks even without all of them: it takes no fault and no act."]
      : []),
  ];
}

/** Returns in a sentence what the budget was not enough for; nothing where it was for all. */
export function notTriedText(why: WhyDocument): readonly string[] {
  const { isComplete, isCurveWhole, rises, alone, untried, pairsUntried } = why;
  if (isComplete) return [];
  const [steepest] = rises;
  const width = steepest === undefined ? 0 : steepest.to.taken - steepest.from.taken;
  const known = width > 1 ? `, its steepest rise known to ${width} choices` : "";
  const parts = [
    ...(isCurveWhole ? [] : [`a finer curve (${runsAPoint(why)}${known})`]),
    ...(untried > 0 ? [`leaving out ${untried} more faults and acts`] : []),
    ...(pairsUntried > 0 ? [`leaving out ${pairsUntried} pairs of the ${alone.length} tried`] : []),
  ];
  return [`Not tried within the budget: ${parts.join("; ")}.`];
}

function runsAPoint({ curve, choices }: WhyDocument): string {
  const runs = curve.filter(({ taken }) => taken < choices).map((point) => point.runs);
  if (runs.length === 0) return "no run";
  return `${runs.length} points of ${Math.min(...runs)} to ${Math.max(...runs)} runs`;
}

/** What the scenario lists comes first. */
function asTheyCame({ parts: [one] }: WhyWithout, { parts: [other] }: WhyWithout): number {
  return (one?.choice ?? -1) - (other?.choice ?? -1);
}

/** Returns the parts that were left out together. */
export function partsText({ parts }: WhyWithout): string {
  return parts.map(partText).join(" | ");
}

function partText({ path, choice, words }: WhyPart): string {
  return path === undefined ? `choice ${choice}: ${words}` : `${path} (${words})`;
}
