// Checks the public docs of all faces: every export and member has a doc comment and names public
// types only (`deno doc --lint`), and every function and class has an example.
//
//   node test/docs/lint-docs.ts
import { spawnSync } from "node:child_process";
import { faces, top } from "./faces.ts";

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The parts of the output of `deno doc --json` that are read here. */
interface DocReport {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly DocSymbol[] }>>;
}

interface DocSymbol {
  readonly name: string;
  readonly declarations: readonly {
    readonly kind: string;
    readonly location: { readonly filename: string; readonly line: number };
    readonly jsDoc?: { readonly tags?: readonly { readonly kind: string }[] };
  }[];
}

const findings = [...lintFindings(), ...exampleFindings()];
for (const { path, line, message } of findings) console.log(`${path}:${line} ${message}`);
console.log(`${findings.length} findings in the docs of ${faces().size} faces`);
process.exitCode = findings.length === 0 ? 0 : 1;

function lintFindings(): readonly Finding[] {
  const output = denoDoc("--lint");
  const found = [...output.matchAll(/^error\[[\w-]+\]: (.+)\n +--> (.+):(\d+):\d+$/gm)].map(
    ([, message = "", path = "", line]) => ({
      path: path.replace(top, ""),
      line: Number(line),
      message,
    }),
  );
  const count = Number(/Found (\d+) documentation lint error/.exec(output)?.[1] ?? 0);
  if (count === found.length) return found;
  throw new Error(`Cannot read the output of deno doc --lint:\n${output}`);
}

function exampleFindings(): readonly Finding[] {
  const report = JSON.parse(denoDoc("--json")) as DocReport;
  const symbols = Object.values(report.nodes).flatMap((node) => node.symbols);
  const found = symbols.flatMap(({ name, declarations }) => {
    const [first] = declarations.filter(({ kind }) => kind === "function" || kind === "class");
    const hasExample = declarations.some(({ jsDoc }) =>
      jsDoc?.tags?.some(({ kind }) => kind === "example"),
    );
    if (first === undefined || hasExample) return [];
    const path = first.location.filename.replace(`file://${top}`, "");
    const message = `${first.kind} "${name}" has no @example`;
    return [{ path, line: first.location.line, message }];
  });
  // A symbol that several faces export is found once for each.
  return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function denoDoc(flag: string): string {
  const { error, stdout, stderr } = spawnSync(
    `${top}node_modules/.bin/deno`,
    ["doc", flag, ...faces().values()],
    { cwd: top, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 2 ** 28 },
  );
  if (error !== undefined) throw error;
  return flag === "--json" ? stdout : stderr;
}
