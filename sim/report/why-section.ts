import type { ReportSection, SectionBlock } from "../page/report-data.ts";
import type { WhyDocument } from "./why-document.ts";
import { certaintyLine, choiceText, notTriedText, partsText, riseTitle } from "./why-text.ts";

const NEEDED = "holds: needed";

/** Returns an explanation as a panel of the report's page. */
export function whySectionFrom(why: WhyDocument): ReportSection {
  const notTried = notTriedText(why).map((text): SectionBlock => ({ kind: "text", text }));
  const blocks = [...curveBlocks(why), ...riseBlocks(why), ...leftOutBlocks(why), ...notTried];
  return { title: "Why", blocks };
}

function curveBlocks(why: WhyDocument): readonly SectionBlock[] {
  const { checker } = why.violation;
  const points = why.curve.map(({ taken, share, low, high, at }) => {
    return { x: taken, y: share, low, high, at };
  });
  const x = "choices taken again, the others drawn anew";
  return [
    { kind: "text", text: certaintyLine(why) },
    { kind: "curve", x, y: `Share of runs that break ${checker}`, points },
  ];
}

function riseBlocks({ rises }: WhyDocument): readonly SectionBlock[] {
  if (rises.length === 0) return [];
  const items = rises.flatMap((rise) =>
    rise.choices.map((choice) => ({
      text: `${titleWith(rise, choice.choice)}: ${choiceText(choice)}`,
      at: choice.at,
    })),
  );
  return [
    { kind: "text", text: "The choices of the steepest rises:" },
    { kind: "list", items },
  ];
}

/** The number of the choice, unless the title is of that choice alone. */
function titleWith(rise: WhyDocument["rises"][number], choice: number): string {
  const title = riseTitle(rise);
  return title.endsWith(` choice ${choice}`) ? title : `${title}, ${choice}`;
}

function leftOutBlocks({ alone, pairs }: WhyDocument): readonly SectionBlock[] {
  if (alone.length === 0) return [];
  const rows = [...alone, ...pairs].map((one) => [
    one.without === "holds" ? NEEDED : "breaks",
    partsText(one),
  ]);
  return [{ kind: "table", columns: ["Without it", "Left out"], rows: sorted(rows) }];
}

/** What is needed comes first. */
function sorted(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isNeeded = ([what]: readonly string[]): boolean => what === NEEDED;
  return [...rows.filter(isNeeded), ...rows.filter((row) => !isNeeded(row))];
}
