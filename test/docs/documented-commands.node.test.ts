import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createProgram } from "../../sim/cli/program.ts";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "bench/README.md",
  "scenarios/README.md",
  "scenarios/guides/a-broker-of-your-own.md",
  "scenarios/guides/from-plain-to-resumable.md",
  "scenarios/guides/which-form.md",
] as const;

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

test.each(PAGES)("every npm script that %s names exists", (page) => {
  const named = [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
});

test.each(PAGES)("every verb and flag of faultlane that %s names exists", (page) => {
  const { commands } = createProgram(() => undefined);
  const unknown: string[] = [];
  for (const [line, verb = "", rest = ""] of read(page).matchAll(
    /(?:npx |`)faultlane ([a-z][\w-]*)([^`\n]*)/g,
  )) {
    const command = commands.find((one) => one.name() === verb);
    if (command === undefined) {
      unknown.push(line);
      continue;
    }
    const flags = [command, ...command.commands].flatMap(({ options }) =>
      options.map(({ long }) => long),
    );
    for (const [flag] of rest.matchAll(/--[a-z][\w-]*/g)) {
      if (!flags.includes(flag)) unknown.push(`${line}: ${flag}`);
    }
  }
  expect(unknown).toEqual([]);
});
