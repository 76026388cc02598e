// Gets the servers that Debian does not have, or has too old, at exact versions and with checksums:
// nats-server with pip, Apache Kafka and ElasticMQ with Maven, kinesalite with npm. Debian has redis-server and rabbitmq-server.
// Builds Google's fake of Pub/Sub, whose Go source Debian has, and Confluent's Kafka client, whose
// source npm has.
// Gets Airflow with pip, too, for test/airflow.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConfluent, isConfluentBuilt } from "./build-confluent.ts";
import { INSTALLED } from "./installed.ts";

/** Where Debian has the sources of Go libraries. */
const GO_SOURCES = "/usr/share/gocode";

install("nats-server", () => getWheels("requirements.txt", INSTALLED));
install("Airflow", () => {
  // Files that an older one has and this one has not would stay.
  rmSync(join(INSTALLED, "airflow"), { recursive: true, force: true });
  getWheels("../airflow/requirements.txt", join(INSTALLED, "airflow"));
});

install("Apache Kafka", () => getJars("kafka"));
install("ElasticMQ", () => getJars("elasticmq"));
install("kinesalite", () => getModules("kinesalite"));
install("pubsub-stand-in", buildPubSub);
install("@confluentinc/kafka-javascript", () => {
  if (isConfluentBuilt()) return;
  getModules("confluent");
  buildConfluent();
});

/** Gets what is in PyPI, each wheel with its checksum. */
function getWheels(requirements: string, folder: string): void {
  const which = ["--require-hashes", "--requirement", pathOf(requirements)];
  const manners = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
  const target = ["--upgrade", "--no-deps", "--only-binary", ":all:", "--target", folder];
  run("python3", ["-m", "pip", "install", ...manners, ...target, ...which]);
}

/** Gets a server that is in npm's registry, each package with its checksum, and runs none of them. */
function getModules(server: string): void {
  // Below a folder node_modules npm takes the package for an installed one.
  const folder = mkdtempSync(join(tmpdir(), `faultlane-${server}-`));
  const modules = join(INSTALLED, server, "node_modules");
  rmSync(modules, { recursive: true, force: true });
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      copyFileSync(pathOf(`${server}.${name}`), join(folder, name));
    }
    const manners = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
    run("npm", ["ci", "--prefix", folder, "--loglevel=error", ...manners]);
    cpSync(join(folder, "node_modules"), modules, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gets the jars of a server that is in Maven Central, with all that it depends on. */
function getJars(server: string): void {
  const jars = join(INSTALLED, server);
  rmSync(jars, { recursive: true, force: true });
  const goal = ["dependency:copy-dependencies", `-DoutputDirectory=${jars}`];
  try {
    run("mvn", ["--quiet", "--batch-mode", "--file", pathOf(`${server}.pom.xml`), ...goal]);
    checkSums(jars, `${server}.sha256`);
  } catch (error) {
    // Half of the jars would count as installed.
    rmSync(jars, { recursive: true, force: true });
    throw error;
  }
}

/** Builds Google's fake of Pub/Sub from its source in Debian's packages, if that is the one we know. */
function buildPubSub(): void {
  const program = join(INSTALLED, "pubsub-stand-in");
  rmSync(program, { force: true });
  checkSums(join(GO_SOURCES, "src/cloud.google.com/go/pubsub/pstest"), "pubsub-stand-in/sha256");
  const cache = mkdtempSync(join(tmpdir(), "faultlane-go-"));
  try {
    run("go", ["build", "-trimpath", "-o", program, pathOf("pubsub-stand-in/main.go")], {
      GO111MODULE: "off",
      GOPATH: GO_SOURCES,
      GOCACHE: cache,
      GOFLAGS: "",
    });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** Runs what gets a server; where it fails the server is left out, and its tests are skipped. */
function install(server: string, get: () => void): void {
  try {
    get();
  } catch (error) {
    console.error(`${server} is not installed: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

function run(command: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  execFileSync(command, words, { stdio: "inherit", env: { ...process.env, ...environment } });
}

/** Throws if a jar is not the one that it was. */
function checkSums(jars: string, sums: string): void {
  for (const line of readFileSync(pathOf(sums), "utf8").trimEnd().split("\n")) {
    const [sum, name = ""] = line.split(/ +/);
    const read = createHash("sha256").update(readFileSync(join(jars, name)));
    if (read.digest("hex") === sum) continue;
    throw new Error(`${name} is not the file whose checksum is in ${sums}`);
  }
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
