import type { Finding } from "./finding.ts";

const TOP_LEVEL: ReadonlySet<string> = new Set([
  "package.json",
  "package-lock.json",
  "deno.json",
  "src",
  "sim",
  "bench",
  "test",
  "scenarios",
  "README.md",
  "LICENSE",
  "CONTRIBUTING.md",
  ".ci",
  ".git",
  ".gitignore",
]);

/** Configuration lives in the folder that it governs; only these things stand at the top. */
export function topLevelFindings(entries: readonly string[], ignored: string): Finding[] {
  const left = new Set(ignored.split("\n").map((line) => line.trim().replace(/\/$/, "")));
  return entries
    .filter((entry) => !TOP_LEVEL.has(entry) && !left.has(entry))
    .map((entry) => ({ path: entry, line: 1, message: "has no place at the top level" }));
}

export interface PackageManifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export interface DenoManifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** npm and Deno see the same faces: dist/a/b.js here is a/b.ts there, and each source exists. */
export function faceFindings(
  npm: PackageManifest,
  deno: DenoManifest,
  exists: (path: string) => boolean,
): Finding[] {
  const findings: Finding[] = [];
  const report = (path: string, message: string) => findings.push({ path, line: 1, message });
  const faces = new Map<string, string>();
  for (const [name, target] of Object.entries(npm.exports)) {
    if (name !== "./package.json") {
      faces.set(name, sourceFromBuilt(typeof target === "string" ? target : target.default));
    }
  }
  const names = new Set([...faces.keys(), ...Object.keys(deno.exports)]);
  for (const name of names) {
    const [here, there] = [faces.get(name), deno.exports[name]];
    if (here !== there) report("deno.json", `face "${name}": npm has ${here}, Deno has ${there}`);
    else if (!exists(here ?? "")) report("package.json", `face "${name}": no file ${here}`);
  }
  for (const built of Object.values(npm.bin)) {
    const source = sourceFromBuilt(built);
    if (!exists(source)) report("package.json", `bin: no file ${source}`);
  }
  if (npm.version !== deno.version) {
    report("deno.json", `version ${deno.version}, but package.json has ${npm.version}`);
  }
  return findings;
}

/** A version that may move makes two installs differ. */
export function versionFindings({ dependencies, devDependencies }: PackageManifest): Finding[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
    .map(([name, version]) => ({
      path: "package.json",
      line: 1,
      message: `pin "${name}" to one exact version: current value is "${version}"`,
    }));
}

/** A lock file that names a host installs nowhere else. */
export function lockFindings(lock: string): Finding[] {
  return lock.split("\n").flatMap((text, index) => {
    const message = "names a registry host: write it with omit-lockfile-registry-resolved";
    return text.includes('"resolved": "http')
      ? [{ path: "package-lock.json", line: index + 1, message }]
      : [];
  });
}

function sourceFromBuilt(path: string): string {
  return path.replace(/^\.\/dist\//, "./").replace(/\.js$/, ".ts");
}
