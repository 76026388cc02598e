import { readFileSync } from "node:fs";
import { Option } from "commander";
import { annotationsFrom } from "../report/annotations.ts";
import { junitFrom } from "../report/junit.ts";
import type { TestCase } from "../report/test-case.ts";
import { print } from "./output.ts";

/** In what form a verb that judges prints its result. */
export type Format = (typeof FORMATS)[number];

const FORMATS = ["text", "json", "junit", "github"] as const;

/** The flags of a verb that takes `--format`. */
export interface FormatFlags {
  readonly format: Format;
  /** Whether one JSON document is printed: with `--json`, or `--format json`. */
  readonly json?: boolean;
}

/** Returns the option of verbs that judge. */
export function formatOption(): Option {
  return new Option(
    "--format <form>",
    "text; json, as --json; junit: JUnit XML; github: the text, and annotations of GitHub Actions",
  )
    .choices(FORMATS)
    .default("text");
}

/** Returns the flags of which `--json` and `--format json` say the same. */
export function withFormat<F extends FormatFlags>(flags: F): F {
  const format = flags.json === true ? "json" : flags.format;
  return { ...flags, format, json: format === "json" };
}

/** Whether a verb prints text for people. */
export function isText({ format }: FormatFlags): boolean {
  return format === "text" || format === "github";
}

/** Prints the cases in the form that was asked for: annotations come after the text. */
export function printCases(cases: readonly TestCase[], { format }: FormatFlags): void {
  if (format === "junit") print(junitFrom(cases));
  if (format === "github") for (const line of annotationsFrom(cases)) print(line);
}

/** What makes a module code under test. */
const FACTORY = /\b(createProducer|createJob|export default)\b/;

/** Returns the line of a file that a failure is shown at: its factory, or the first with content. */
export function lineOf(file: string): number {
  let lines: readonly string[];
  try {
    lines = readFileSync(file, "utf8").split("\n");
  } catch {
    return 1;
  }
  const isModule = /\.[cm]?[jt]sx?$/.test(file);
  const at = lines.findIndex((line) => (isModule ? FACTORY.test(line) : /^\s*[^#\s]/.test(line)));
  return Math.max(at, 0) + 1;
}
