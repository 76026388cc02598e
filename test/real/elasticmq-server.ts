import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQSClient } from "@aws-sdk/client-sqs";
import { INSTALLED } from "./installed.ts";
import { type Place, type RunningServer, startServer } from "./loopback-server.ts";

const JARS = join(INSTALLED, "elasticmq");

/** What ElasticMQ needs of what may be installed. */
export const ELASTICMQ_COMMANDS: readonly string[] = ["java", JARS];

/** Starts it with a database on disk, or with everything in memory. */
export function startElasticMq(disk: "database" | "none"): Promise<RunningServer> {
  return startServer({
    command: "java",
    arguments(place) {
      const config = join(place.folder, "elasticmq.conf");
      writeFileSync(config, settings(place, disk));
      const classPath = ["-cp", join(JARS, "*")];
      return ["-Xmx256m", ...classPath, `-Dconfig.file=${config}`, "org.elasticmq.server.Main"];
    },
  });
}

function settings({ port, folder }: Place, disk: "database" | "none"): string {
  // Without the delay of half a second what was committed survives a kill -9.
  const database = `jdbc:h2:${join(folder, "messages")};WRITE_DELAY=0`;
  const lines = [
    'include classpath("application.conf")',
    `node-address { host = "127.0.0.1", port = ${port} }`,
    `rest-sqs { bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }`,
    "rest-stats { enabled = false }",
    `messages-storage { enabled = ${disk !== "none"}, uri = "${database}" }`,
  ];
  return lines.join("\n");
}

/** Returns a client that sends everything to this port, whatever the queue's URL says. */
export function sqsClientOf(port: number): SQSClient {
  return new SQSClient({
    endpoint: `http://127.0.0.1:${port}`,
    useQueueUrlAsEndpoint: false,
    region: "elasticmq",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
  });
}
