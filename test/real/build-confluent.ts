// Builds the binary of @confluentinc/kafka-javascript from the sources that its npm package has:
// librdkafka, and what binds it to Node. The package's own install step would fetch the binary.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFLUENT, CONFLUENT_BINARY, CONFLUENT_MODULES } from "./confluent-library.ts";

const STAMP = join(CONFLUENT_MODULES, "built-from");
/** The headers of the Node that package.json pins, which npm brings with it. */
const HEADERS = fileURLToPath(
  new URL(
    `../../node_modules/node/node_modules/node-${process.platform}-${process.arch}`,
    import.meta.url,
  ),
);
const JOBS = 2;
/** What needs another library is left out: the tests speak plain text on loopback. */
const PLAIN = [
  ...["--disable-ssl", "--disable-gssapi", "--disable-curl", "--disable-zstd", "--disable-zlib"],
  ...["--disable-lz4-ext", "--disable-syslog", "--enable-static"],
];
/** It is built for a test: how fast it is matters less than how long that takes. */
const QUICK = ["--disable-optimization", "--disable-debug-symbols"];

/** Whether the binary is there already: of this version, for this Node. */
export function isConfluentBuilt(): boolean {
  if (!existsSync(CONFLUENT_BINARY) || !existsSync(STAMP)) return false;
  return readFileSync(STAMP, "utf8") === stampNow();
}

/** Builds it in place, without the library's own build of what librdkafka needs besides. */
export function buildConfluent(): void {
  try {
    const librdkafka = join(CONFLUENT, "deps/librdkafka");
    // The link looks for the libraries here, and not in a folder "lib" of it.
    const deps = join(CONFLUENT, "build/deps");
    const where = [`--prefix=${deps}`, `--libdir=${deps}`];
    run("./configure", [...PLAIN, ...QUICK, ...where], librdkafka);
    run("make", ["-s", `-j${JOBS}`, "libs"], librdkafka);
    // It would configure anew, and download those other libraries.
    writeFileSync(join(CONFLUENT, "util/configure.js"), "");
    const gyp = join(CONFLUENT_MODULES, "node-gyp/bin/node-gyp.js");
    const how = [`--nodedir=${HEADERS}`, `--jobs=${JOBS}`, "--loglevel=error"];
    run(process.execPath, [gyp, "configure", ...how], CONFLUENT);
    run("make", ["-s", "install-subdirs"], librdkafka);
    run(process.execPath, [gyp, "build", ...how], CONFLUENT);
    writeFileSync(STAMP, stampNow());
  } catch (error) {
    rmSync(CONFLUENT_BINARY, { force: true });
    throw error;
  }
}

function stampNow(): string {
  const lock = readFileSync(new URL("confluent.package-lock.json", import.meta.url));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.version}`;
}

function run(command: string, words: readonly string[], cwd: string): void {
  // node-gyp takes an npm setting such as `nodedir` for more than its own flag.
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_config_/iu.test(name));
  // Without warnings, which would be all that an error shows.
  const env = { ...Object.fromEntries(kept), CFLAGS: "-w", CXXFLAGS: "-O0 -w" };
  execFileSync(command, words, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
}
