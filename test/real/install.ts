// Gets the servers that Debian does not have, or has too old, at exact versions and with checksums:
// nats-server with pip, Apache Kafka with Maven. Debian has redis-server and rabbitmq-server.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { INSTALLED } from "./installed.ts";

install("nats-server", "python3", [
  ...[
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--root-user-action=ignore",
  ],
  ...["--upgrade", "--no-deps", "--require-hashes", "--only-binary", ":all:"],
  ...["--target", INSTALLED, "--requirement", pathOf("requirements.txt")],
]);

const jars = join(INSTALLED, "kafka");
rmSync(jars, { recursive: true, force: true });
install("Apache Kafka", "mvn", [
  ...["--quiet", "--batch-mode", "--file", pathOf("pom.xml")],
  ...["dependency:copy-dependencies", `-DoutputDirectory=${jars}`],
]);
if (existsSync(jars)) checkSums();

/** Removes the jars again if one of them is not what it was. */
function checkSums(): void {
  for (const line of readFileSync(pathOf("kafka.sha256"), "utf8").trimEnd().split("\n")) {
    const [sum, name = ""] = line.split(/ +/);
    const read = createHash("sha256").update(readFileSync(join(jars, name)));
    if (read.digest("hex") === sum) continue;
    rmSync(jars, { recursive: true });
    throw new Error(`${name} is not the file whose checksum is in kafka.sha256`);
  }
}

/** Runs a package manager; without it the server is left out, and its tests are skipped. */
function install(server: string, command: string, words: readonly string[]): void {
  try {
    execFileSync(command, words, { stdio: "inherit" });
  } catch (error) {
    console.error(`${server} is not installed: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
