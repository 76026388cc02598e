import type { Comparison } from "./comparison.ts";

const WIDTH = 112;
const RERUN: Readonly<Record<Comparison["rerun"], string>> = {
  "npm test": "`npm test` runs the same client code on server and model again.",
  "test:real": "`npm run test:real` runs the same client code on server and model again.",
  "test:long": "`npm run test:long` runs the same client code on server and model again.",
  never: "The servers are not started again: the model is compared with the table.",
};

/** Returns the page of one broker. */
export function pageText(comparison: Comparison): string {
  const { broker, observed, rerun, drawn, differs, leftOut } = comparison;
  const { server, observations, folder = "observed" } = observed;
  return [
    `# The model of ${broker}, compared`,
    "",
    ...wrapped(
      `Compared with ${server}. ${RERUN[rerun]} The sequences and what was observed are in \`test/brokers/${folder}\`; \`node test/brokers/compared/write.ts\` has written this page.`,
    ),
    "",
    `## ${observations.length} sequences written by hand`,
    "",
    ...observations.flatMap(({ name }) => item(name)),
    "",
    "## Drawn sequences",
    "",
    ...wrapped(drawn === undefined ? "None so far." : `Of ${drawn}.`),
    "",
    "## Otherwise on purpose",
    "",
    ...differs.flatMap(([what, why]) => item(`${what}: ${why}.`)),
    "",
    "## Left out, and refused by name",
    "",
    ...leftOut.flatMap(item),
    "",
  ].join("\n");
}

/** Returns the name of the page's file. */
export function pageName({ broker }: Comparison): string {
  return `${broker.toLowerCase().replace("/", "").replace(" ", "-")}.md`;
}

function item(text: string): readonly string[] {
  return wrapped(text).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`));
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH - 2) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
