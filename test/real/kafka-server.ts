import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { INSTALLED } from "./installed.ts";
import {
  freePort,
  type Place,
  placeOf,
  type RunningServer,
  startServer,
} from "./loopback-server.ts";

const JARS = join(INSTALLED, "kafka");
const CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";
const HEAP = ["-Xmx512m", "-Xms128m"];

/** What Kafka needs of what may be installed. */
export const KAFKA_COMMANDS: readonly string[] = ["java", JARS];

/** What a server is set to; `others` beside what all of them are. */
type Settings = Readonly<Record<string, boolean | number | string>>;

export async function startKafka(
  joinDelayMs: number,
  others: Settings = {},
): Promise<RunningServer> {
  const controller = await freePort();
  const java = placeOf("java") ?? "java";
  const classPath = ["-cp", join(JARS, "*")];
  return await startServer({
    command: "java",
    arguments(place) {
      const config = join(place.folder, "server.properties");
      writeFileSync(config, properties(place, controller, joinDelayMs, others));
      if (!existsSync(join(place.folder, "log", "meta.properties"))) {
        const format = ["kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", config];
        execFileSync(java, [...HEAP, ...classPath, ...format], { stdio: "ignore" });
      }
      return [...HEAP, ...classPath, "kafka.Kafka", config];
    },
  });
}

/** One node that is broker and controller. */
function properties(
  { port, folder }: Place,
  controller: number,
  joinDelayMs: number,
  others: Settings,
): string {
  const settings: Settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "controller.listener.names": "CONTROLLER",
    "log.dirs": join(folder, "log"),
    "auto.create.topics.enable": false,
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": joinDelayMs,
    "log.retention.check.interval.ms": 1_000,
    "log.initial.task.delay.ms": 1_000,
    ...others,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
