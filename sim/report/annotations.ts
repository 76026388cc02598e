import type { TestCase } from "./test-case.ts";

/**
 * Returns a line for each case that failed, which GitHub Actions shows at its place in the file.
 *
 * Source: GitHub Docs, "Workflow commands for GitHub Actions", "Setting an error message"
 */
export function annotationsFrom(cases: readonly TestCase[]): readonly string[] {
  return cases.flatMap(({ file, line, name, failure }) => {
    if (failure === undefined) return [];
    const { type, message, text } = failure;
    const place = `file=${property(file)},line=${line},title=${property(`${name}: ${type}`)}`;
    return [`::error ${place}::${data(`${message}\n${text}`)}`];
  });
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
