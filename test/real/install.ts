// Gets the servers that Debian does not have, or has too old, at exact versions and with checksums:
// `npm run test:real` calls it. The others are Debian's: redis-server and rabbitmq-server.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { INSTALLED } from "./installed.ts";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

execFileSync(
  "python3",
  [
    ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"],
    ...["--no-deps", "--require-hashes", "--only-binary", ":all:"],
    ...["--target", INSTALLED, "--requirement", requirements],
  ],
  { stdio: "inherit" },
);
