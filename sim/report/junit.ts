import type { TestCase } from "./test-case.ts";

/**
 * Returns the cases as JUnit XML: a suite for each file, in order.
 *
 * Holds: the document is valid against the schemas of Jenkins and Surefire; it contains no time and
 * no name of a machine, so that the same runs give the same bytes.
 */
export function junitFrom(cases: readonly TestCase[]): string {
  const suites = [...Map.groupBy(cases, ({ file }) => file)];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="faultlane" ${counts(cases)}>`,
    ...suites.flatMap(([file, own]) => [
      `  <testsuite name="${attribute(file)}" ${counts(own)}>`,
      ...own.flatMap(caseLines),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ].join("\n");
}

function counts(cases: readonly TestCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" errors="0"`;
}

function caseLines({ file, name, failure }: TestCase): readonly string[] {
  const head = `<testcase classname="${attribute(file)}" name="${attribute(name)}"`;
  if (failure === undefined) return [`    ${head}/>`];
  const { type, message, text } = failure;
  const attributes = `type="${attribute(type)}" message="${attribute(message)}"`;
  return [
    `    ${head}>`,
    `      <failure ${attributes}>${content(text)}</failure>`,
    "    </testcase>",
  ];
}

/** What XML 1.0 cannot contain, not even by number; alone, the halves of a pair are such, too. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function content(text: string): string {
  return text
    .replaceAll(FORBIDDEN, "\u{fffd}")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/** A parser would turn line ends and tabs of an attribute into spaces. */
function attribute(text: string): string {
  return content(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}
