import type { ReportSection, SectionBlock } from "../page/report-data.ts";
import type { WhyDocument } from "./why-document.ts";
import { certaintyLine, choiceText, notTriedText, partsText, riseTitle } from "./why-text.ts";

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
      text: `${riseTitle(rise)}: ${choice.choice}, ${choiceText(choice)}`,
      at: choice.at,
    })),
  );
  return [
    { kind: "text", text: "The choices of the steepest rises:" },
    { kind: "list", items },
  ];
}

function leftOutBlocks({ alone, pairs }: WhyDocument): readonly SectionBlock[] {
  if (alone.length === 0) return [];
  const rows = [...alone, ...pairs].map((one) => [
    partsText(one),
    one.without === "holds" ? "the promise holds: needed" : "it breaks all the same",
  ]);
  return [{ kind: "table", columns: ["Left out", "What comes of the run"], rows: sorted(rows) }];
}

/** What is needed comes first. */
function sorted(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isNeeded = ([, what = ""]: readonly string[]): boolean => what.endsWith("needed");
  return [...rows.filter(isNeeded), ...rows.filter((row) => !isNeeded(row))];
}
