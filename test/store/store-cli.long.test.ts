import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";

// Each command runs in its own process, because streams and exit codes are what is tested.
const SCRIPT = fileURLToPath(new URL("store-cli-runner.ts", import.meta.url));
const RUNTIME_ARGS = "Deno" in globalThis ? ["run", "-A", SCRIPT] : [SCRIPT];

const folder = await mkdtemp(join(tmpdir(), "faultlane-cli-"));
const db = join(folder, "state.db");
afterAll(() => rm(folder, { recursive: true }));

const TASK = ["--dag", "etl", "--run", "r1", "--task", "load"];
const NEVER = { expiresAt: null } as const;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function faultlane(...args: string[]): Promise<Outcome> {
  return faultlaneWith({}, ...args);
}

function faultlaneWith(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Outcome> {
  const env = { ...process.env, ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [...RUNTIME_ARGS, "store", ...args], { env }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, out, err: err.replaceAll(/.*ExperimentalWarning.*\n.*\n/g, "") });
    });
  });
}

function json({ out }: Outcome): unknown {
  return JSON.parse(out);
}

describe("faultlane store", () => {
  test("ls --namespace lists the processes of that namespace", async () => {
    const path = join(folder, "namespaces.db");
    const backend = new SqliteStateBackend(path);
    const process = (namespace: string, processName: string) =>
      ({ kind: "process", namespace, processName }) as const;
    const scopes = [process("server01", "orders"), process("server01", "rows")];
    for (const scope of [...scopes, process("server011", "orders"), process("", "server01")]) {
      await backend.set(scope, "state", "1", NEVER);
    }
    await backend.set({ kind: "task", dagId: "server01", taskId: "orders" }, "state", "1", NEVER);
    await backend.close();
    const flags = ["--db", path, "--namespace", "server01"];
    const entries = 1;
    expect(json(await faultlane("ls", ...flags, "--json"))).toEqual({
      scopes: scopes.map((scope) => ({ scope, entries })),
      total: 2,
    });
    expect(json(await faultlane("ls", ...flags, "--json", "--limit", "1"))).toEqual({
      scopes: [{ scope: scopes[0], entries }],
      total: 2,
    });
    expect((await faultlane("ls", ...flags)).out).toContain("2 of 2 scopes");
    expect(await faultlane("ls", ...flags, "--dag", "etl")).toMatchObject({ code: 2 });
    expect(await faultlane("ls", ...flags, "--process", "orders")).toMatchObject({ code: 0 });
    expect(await faultlane("get", "state", ...flags)).toMatchObject({ code: 2 });
  });

  test("set, get, ls and rm, for people and as one JSON document", async () => {
    expect(
      await faultlane("set", "job", '{"id":7}', "--db", db, ...TASK, "--retention", "never"),
    ).toEqual({ code: 0, out: "", err: "" });
    expect(await faultlane("get", "job", "--db", db, ...TASK)).toEqual({
      code: 0,
      out: '{"id":7}\n',
      err: "",
    });
    expect(json(await faultlane("get", "job", "--db", db, ...TASK, "--json"))).toMatchObject({
      key: "job",
      value: { id: 7 },
      expiresAt: null,
    });
    expect(
      json(await faultlane("set", "note", "by hand", "--text", "--db", db, ...TASK, "--json")),
    ).toEqual({ set: "note" });
    expect((await faultlane("ls", "--db", db, ...TASK)).out).toMatch(
      /^job {3}\{"id":7\} {2}\(never expires\)\nnote {2}"by hand" {2}\(expires .*Z\)\n2 of 2 keys\n$/,
    );
    expect(json(await faultlane("ls", "--db", db, "--json"))).toEqual({
      scopes: [
        {
          scope: { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 },
          entries: 2,
        },
      ],
      total: 1,
    });
    expect(json(await faultlane("rm", "job", "--db", db, ...TASK, "--json"))).toEqual({
      deleted: "job",
    });
    expect(json(await faultlane("rm", "--all", "--db", db, ...TASK, "--json"))).toEqual({
      deleted: null,
    });
    expect(json(await faultlane("ls", "--db", db, ...TASK, "--json"))).toMatchObject({
      entries: [],
      total: 0,
    });
  });

  test("sweep deletes what has expired, and a dry run lists it", async () => {
    await using backend = new SqliteStateBackend(db);
    const scope = { kind: "task", dagId: "d", taskId: "t" } as const;
    await backend.set(scope, "old", "1", { expiresAt: 1 });
    await backend.set(scope, "new", "1", NEVER);
    expect(json(await faultlane("sweep", "--dry-run", "--db", db, "--json"))).toEqual({
      expired: 1,
      batches: 0,
      entries: [{ scope, key: "old", expiresAt: 1 }],
      dryRun: true,
    });
    expect((await faultlane("sweep", "--db", db)).out).toBe("1 entries deleted\n");
    expect((await faultlane("sweep", "--db", db)).out).toBe("Nothing has expired\n");
    expect((await backend.list(scope, { limit: 9, offset: 0 })).total).toBe(1);
  });

  test("orphans deletes the state of assets that are not declared, and a dry run lists it", async () => {
    await using backend = new SqliteStateBackend(db);
    const declared = join(folder, "declared.json");
    await writeFile(declared, '[{ "name": "orders", "uri": "s3://shop/orders" }]');
    await backend.set({ kind: "asset", name: "orders" }, "mark", "1", NEVER);
    await backend.set({ kind: "asset", uri: "s3://shop/clicks" }, "mark", "1", NEVER);
    const flags = ["orphans", "--db", db, "--declared", declared];
    const orphans = { assets: [{ uri: "s3://shop/clicks" }] };
    expect(json(await faultlane(...flags, "--dry-run", "--json"))).toEqual({
      ...orphans,
      dryRun: true,
    });
    expect(json(await faultlane(...flags, "--json"))).toEqual({ ...orphans, dryRun: false });
    expect((await faultlane(...flags)).out).toBe("No asset is orphaned\n");
    expect(await backend.get({ kind: "asset", name: "orders" }, "mark")).toBeDefined();
    await writeFile(declared, '[{ "nme": "orders" }]');
    expect(await faultlane(...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining('as declared assets at 0: Unrecognized key: "nme"') as string,
    });
    await writeFile(declared, "orders");
    expect(await faultlane(...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining("it is no JSON") as string,
    });
  });

  test("follows the deployment's settings, by Airflow's variables", async () => {
    const settings = {
      AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS: "0",
      AIRFLOW__STATE_STORE__MAX_VALUE_STORAGE_BYTES: "9",
    };
    const flags = ["--db", db, ...TASK];
    expect((await faultlaneWith(settings, "set", "kept", "1", ...flags)).code).toBe(0);
    expect(json(await faultlane("get", "kept", ...flags, "--json"))).toMatchObject({
      expiresAt: null,
    });
    expect(await faultlaneWith(settings, "set", "kept", '"123456789"', ...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining("the limit is 9") as string,
    });
    const wrongSetting = { AIRFLOW__STATE_STORE__STATE_CLEANUP_BATCH_SIZE: "many" };
    expect(await faultlaneWith(wrongSetting, "sweep", "--db", db)).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining(
        'Cannot use "many" as AIRFLOW__STATE_STORE__STATE_CLEANUP_BATCH_SIZE: write an integer',
      ) as string,
    });
    await faultlane("rm", "kept", ...flags);
  });

  const missing = join(folder, "missing.db");
  const wrong: readonly (readonly [title: string, args: string[], message: string])[] = [
    ["no database", ["ls"], "required option '--db <file or url>' not specified"],
    [
      "a file that is not there",
      ["ls", "--db", missing],
      `Cannot open "${missing}": there is no such file`,
    ],
    [
      "a file that is no database",
      ["ls", "--db", SCRIPT],
      "Cannot open the store: file is not a database",
    ],
    [
      "a database of another kind",
      ["ls", "--db", "mysql://h/d"],
      "Cannot use this --db: write a file, or postgres://user@host/database",
    ],
    [
      "a server that is not there",
      ["ls", "--db", "postgres://u:secret@127.0.0.1:1/d"],
      "Cannot open the store: connect ECONNREFUSED",
    ],
    ["no scope", ["get", "k", "--db", db], "Cannot find a scope in the flags"],
    [
      "half a scope",
      ["get", "k", "--db", db, "--dag", "d"],
      "Cannot name a task without --dag and --task",
    ],
    [
      "two scopes",
      ["get", "k", "--db", db, ...TASK, "--asset", "a"],
      "Cannot use several scopes at once: name one",
    ],
    [
      "a map index without a run",
      ["get", "k", "--db", db, "--dag", "d", "--task", "t", "--map-index", "1"],
      "Cannot use --map-index without --run",
    ],
    [
      "a bad map index",
      ["get", "k", "--db", db, ...TASK, "--map-index=-2"],
      'Cannot use "-2" as --map-index',
    ],
    [
      "a key that is absent",
      ["get", "none", "--db", db, ...TASK, "--json"],
      'Cannot get "none": nothing is stored under it',
    ],
    [
      "a value that is no JSON",
      ["set", "k", "by hand", "--db", db, ...TASK],
      'Cannot read "by hand" as JSON: quote it, or add --text',
    ],
    [
      "null as a value",
      ["set", "k", "null", "--db", db, ...TASK],
      "Cannot store null: remove the key instead",
    ],
    [
      "an id with too many digits",
      ["set", "k", "9007199254740993", "--db", db, ...TASK],
      "Cannot read the integer 9007199254740993 without losing digits",
    ],
    ["an empty key", ["set", "", "1", "--db", db, ...TASK], "Cannot use a key of 0 characters"],
    [
      "a bare number as retention",
      ["set", "k", "1", "--db", db, ...TASK, "--retention", "7"],
      'Cannot use "7" as --retention: write 30d, 6h, 15m or 90s',
    ],
    [
      "a retention for an asset",
      ["set", "k", "1", "--db", db, "--asset", "a", "--retention", "6h"],
      "Cannot use --retention: an asset's state never expires",
    ],
    ["rm without a key", ["rm", "--db", db, ...TASK], "Cannot delete without a key or --all"],
    [
      "a batch size that is none",
      ["sweep", "--db", db, "--batch-size", "x"],
      'Cannot use "x" as --batch-size',
    ],
    ["a flag that there is none of", ["ls", "--db", db, "--ttl", "5"], "unknown option '--ttl'"],
    ["a verb that there is none of", ["purge"], "unknown command 'purge'"],
  ];
  test("wrong input is exit code 2, a line on standard error, and nothing on standard output", async () => {
    const outcomes = await Promise.all(wrong.map(([, args]) => faultlane(...args)));
    for (const [at, { code, out, err }] of outcomes.entries()) {
      const [title, , message] = wrong[at] ?? [];
      expect({ title, code, out, err }).toEqual({
        title,
        code: 2,
        out: "",
        err: expect.stringContaining(message ?? "") as string,
      });
      expect(err).not.toContain("secret");
      expect(err).not.toMatch(/^ +at /m);
    }
  });

  test("serves on loopback until it is stopped, with the token from the environment", async () => {
    const token = "a-token-from-the-environment";
    await using backend = new SqliteStateBackend(db);
    await backend.set(
      { kind: "task-instance", dagId: "d", runId: "r", taskId: "t", mapIndex: -1 },
      "k",
      "[1]",
      NEVER,
    );
    const child = spawn(
      process.execPath,
      [...RUNTIME_ARGS, "store", "serve", "--db", db, "--port", "0", "--json"],
      {
        env: { ...process.env, FAULTLANE_STORE_TOKEN: token },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const exited = new Promise((resolve) => child.once("exit", resolve));
    let out = "";
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        if (out.includes("}")) resolve();
      });
    });
    const { url } = JSON.parse(out) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const path = `${url}/dags/d/dagRuns/r/taskInstances/t/state-store/k`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    expect((await fetch(path)).status).toBe(401);
    expect(await (await fetch(path, { headers })).json()).toMatchObject({ key: "k", value: [1] });
    expect((await fetch(path, { method: "PUT", headers, body: '{"value":[2]}' })).status).toBe(204);
    expect(await (await fetch(path, { headers })).json()).toMatchObject({ value: [2] });
    expect(
      (await fetch(path, { method: "PUT", headers, body: "x".repeat(2_000_000) })).status,
    ).toBe(413);
    child.kill("SIGTERM");
    // Deno reports the signal that it sent even if the process handled it and exited.
    expect([0, null]).toContain(await exited);
    await expect(fetch(path)).rejects.toThrow(TypeError);
  });
});
